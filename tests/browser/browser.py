"""Headless Chromium for tests of pages (Debian: chromium, chromium-driver, python3-selenium)."""

import base64

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# The contrast of a page's texts with what is behind them (WCAG 2.1, relative luminance): the lowest, and its text.
CONTRAST = """
const parse = (text) => {
  const parts = text.match(/[\\d.]+/g).map(Number);
  return {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1};
};
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.alpha === 1) return color.rgb;
    if (color.alpha !== 0) throw new Error('half-transparent background');
  }
  return [255, 255, 255];
};
let least = {ratio: 99, text: ''}, count = 0;
const take = (color, element, text) => {
  const [a, b] = [luminance(parse(color).rgb), luminance(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  ++count;
  if (ratio < least.ratio) least = {ratio, text: text.trim().slice(0, 60), color};
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (node.data.trim() === '' || !element.checkVisibility() || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName)) continue;
  if (element.matches(':disabled')) continue;
  const style = getComputedStyle(element);
  // A digit in a cell of a heat map stands on the cell, not on the page.
  if (element.closest('svg') && /rgb\\((10, 10, 10|255, 255, 255)\\)/.test(element.parentElement.getAttribute('fill') || '')) continue;
  take(element.closest('svg') ? style.fill : style.color, element, node.data);
}
for (const input of document.querySelectorAll('input')) {
  if (input.checkVisibility() && input.type !== 'checkbox') take(getComputedStyle(input).color, input, input.name + ' ' + input.value);
}
return {least, count};
"""


class Browser:
    def __init__(self):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(60)

    def quit(self):
        self.driver.quit()

    def show(self, page, width=1200, scheme="light"):
        """Opens a page of the disk in a window of this width."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(page.as_uri())

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def find_all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def console(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def print_to_pdf(self):
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})["data"])

    def screenshot(self, path, width, top=0, height=900):
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        path.write_bytes(base64.b64decode(shot["data"]))
