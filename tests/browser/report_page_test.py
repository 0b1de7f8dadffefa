"""The page of `attnlab report` in headless Chromium: drawn, sorted, computed, printed. scripts/check browser runs it.

ATTNLAB_BINARY names the program; the results of lesson, scale, pet-project, variants and claims are run by --quick first,
or taken from the folder that ATTNLAB_RESULTS names. ATTNLAB_SCREENSHOTS names a folder that pictures of the page are
written to.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))

from browser import CONTRAST, Browser  # noqa: E402
from report_support import long_result, result, save, table  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

BINARY = os.path.abspath(os.environ["ATTNLAB_BINARY"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ("lesson", "scale", "pet-project", "variants", "claims")
FIGURES = 11  # of these results, at least


def attnlab(*arguments, **more):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=900, check=True, **more).stdout


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="attnlab-page-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def cells(self, table, column):
        script = "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => row.cells[arguments[1]].textContent)"
        return self.browser.run(script, table, column)


class WholePage(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = pathlib.Path(os.environ.get("ATTNLAB_RESULTS", cls.folder))
        for name in CONFIGS:
            if not (cls.results / name / "result.json").exists():
                quick = [] if name in ("lesson", "scale") else ["--quick"]
                attnlab("run", SOURCE / f"configs/{name}.json", *quick, "--quiet", "-o", cls.results / name)
        cls.pages = {}
        for language in ("en", "ru"):
            cls.pages[language] = cls.folder / f"{language}.html"
            attnlab("report", *(cls.results / name for name in CONFIGS), "-o", cls.pages[language], "--lang", language)

    def test_size_and_time_to_draw(self):
        self.assertLess(self.pages["en"].stat().st_size, 2_000_000)
        times = []
        for _ in range(3):
            self.browser.show(self.pages["en"])
            times.append(self.browser.run("const t = performance.timing; return t.loadEventEnd - t.navigationStart"))
        print(f"\npage {self.pages['en'].stat().st_size} bytes, drawn in {sorted(times)} ms", file=sys.stderr)
        self.assertLess(min(times), 1000)

    def test_nothing_overflows(self):
        for page in self.pages.values():
            for width in (400, 800, 1600):
                self.browser.show(page, width)
                for _ in range(2):  # as it opens, and with everything open
                    widest = self.browser.run(
                        "return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
                    self.assertLessEqual(widest, width)
                    self.browser.run("for (const one of document.querySelectorAll('details')) one.open = true")

    def test_contrast(self):
        for page in self.pages.values():
            for scheme in ("light", "dark"):
                self.browser.show(page, 1200, scheme)
                self.browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
                found = self.browser.run(CONTRAST)
                print(f"\n{page.stem} {scheme}: contrast {found['least']['ratio']:.2f} of {found['count']} texts", file=sys.stderr)
                self.assertGreater(found["count"], 1000)
                self.assertGreaterEqual(found["least"]["ratio"], 4.5, found["least"])

    def test_plots_are_visible_and_named(self):
        for width in (400, 1600):
            self.browser.show(self.pages["en"], width)
            plots = self.browser.find_all(".plot svg")
            self.assertGreaterEqual(len(plots), FIGURES)
            for plot in plots:
                self.assertTrue(plot.is_displayed())
                self.assertGreater(plot.size["width"], 300)
                self.assertGreater(plot.size["height"], 200)
                self.assertTrue(plot.get_attribute("aria-label"))
            # every series' marker has a shape: references lead to elements of the same plot
            self.assertEqual(self.browser.run("""
                return [...document.querySelectorAll('.plot use')].filter((use) => {
                  const target = document.getElementById(use.getAttribute('xlink:href').slice(1));
                  return !target || target.closest('svg') !== use.closest('svg');
                }).length"""), 0)

    def test_tables_sort_by_click_and_by_key(self):
        self.browser.show(self.pages["en"])
        # cost of the lesson: text, numbers of several sizes
        box = self.browser.run("""
            const box = [...document.querySelectorAll('.table')].find((one) => one.querySelectorAll('tbody tr').length > 20 &&
                one.querySelectorAll('th.number').length > 3);
            box.id = 'sorted';
            for (let at = box; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
            return [...box.querySelectorAll('th')].findIndex((head) => head.classList.contains('number'))""")
        before = self.cells("#sorted", box)
        numbers = [float(text.replace("\u2007", "")) for text in before]
        head = self.browser.find_all("#sorted thead th")[box]
        button = head.find_element("css selector", "button")
        self.assertEqual(head.get_attribute("aria-sort"), "none")
        for press, word, reverse in ((button.click, "ascending", False), (lambda: button.send_keys(Keys.ENTER), "descending", True)):
            press()
            self.assertEqual(head.get_attribute("aria-sort"), word)
            shown = [float(text.replace("\u2007", "")) for text in self.cells("#sorted", box)]
            self.assertEqual(shown, sorted(numbers, reverse=reverse))
        button.send_keys(Keys.SPACE)
        self.assertEqual(head.get_attribute("aria-sort"), "none")
        self.assertEqual(self.cells("#sorted", box), before)

    def test_help_of_a_column_on_hover_and_focus(self):
        self.browser.show(self.pages["en"])
        button = self.browser.find("th button[aria-describedby]")
        tip = self.browser.find("#tip")
        self.assertFalse(tip.is_displayed())
        self.browser.run("arguments[0].focus()", button)
        self.assertTrue(tip.is_displayed())
        self.assertEqual(tip.text, "size of a head: the number of components of q and k")
        ActionChains(self.browser.driver).send_keys(Keys.ESCAPE).perform()
        self.assertFalse(tip.is_displayed())
        self.browser.run("arguments[0].blur()", button)
        ActionChains(self.browser.driver).move_to_element(button).perform()
        self.assertTrue(tip.is_displayed())
        self.assertIn("bit", self.browser.run("return [...document.querySelectorAll('.unit')].map((one) => one.textContent)"))

    def test_links_of_the_summary_lead_to_what_is_visible(self):
        self.browser.show(self.pages["en"])
        links = self.browser.find_all("#summary a")
        self.assertGreater(len(links), 8)
        for link in links:
            link.click()
            target = link.get_attribute("href").split("#")[1]
            self.assertTrue(self.browser.find(f"#{target}").is_displayed(), target)

    def test_commands_are_copied(self):
        self.browser.show(self.pages["en"])
        self.browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        box = self.browser.find(".command")
        box.find_element("css selector", "button").click()
        text = self.browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))")
        self.assertEqual(text, "attnlab variance --rng mulberry32 --seed 11")

    def test_print_shows_tables_and_plots(self):
        self.browser.show(self.pages["en"])
        pdf = self.browser.print_to_pdf()
        self.assertTrue(pdf.startswith(b"%PDF-"))
        self.assertGreater(pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page "), 5)

    @unittest.skipUnless("ATTNLAB_SCREENSHOTS" in os.environ, "ATTNLAB_SCREENSHOTS names no folder")
    def test_screenshots(self):
        folder = pathlib.Path(os.environ["ATTNLAB_SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        for name, width, scheme in (("light", 1200, "light"), ("dark", 1200, "dark"), ("narrow", 400, "light"), ("wide", 1600, "light")):
            self.browser.show(self.pages["en"], width, scheme)
            height = self.browser.run("return document.documentElement.scrollHeight")
            for part, top in enumerate(range(0, height, 3000)):
                self.browser.screenshot(folder / f"{name}-{part}.png", width, top, min(3000, height - top))
        self.browser.show(self.pages["en"])
        (folder / "print.pdf").write_bytes(self.browser.print_to_pdf())


class Widget(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.folder / "page.html"
        source = save(cls.folder / "result.json", result([]))
        attnlab("report", source, "-o", cls.page)

    def set(self, **controls):
        for name, value in controls.items():
            field = self.browser.find(f"#widget input[name={name}]")
            if name == "scale":
                if field.is_selected() != value:
                    field.click()
                continue
            field.clear()
            field.send_keys(str(value))

    def readouts(self):
        return self.browser.run("""
            return Object.fromEntries([...document.querySelectorAll('#widget output')].map(
                (one) => [one.dataset.readout, {text: one.textContent, value: one.dataset.value}]))""")

    def test_numbers_are_those_of_inspect(self):
        self.browser.show(self.page)
        lesson = "кот сел на коврик и уснул"
        cases = [
            (lesson, 64, 1, 1, True), (lesson, 64, 1, 1, False), (lesson, 256, 1, 3, False), (lesson, 1, 2.5, 7, True),
            (lesson, 1024, 0.3, 4294967295, True), (lesson, 64, 0, 5, True), (lesson, 4096, 1, 12, False),
            ("one", 16, 1, 2, True), ("a b it's <i> 'q' x", 33, 1e-3, 99, False), ("to be or not to be", 7, 10, 123456, True),
        ]
        for words, d, temperature, seed, scaled in cases:
            with self.subTest(words=words, d=d, temperature=temperature, seed=seed, scaled=scaled):
                self.set(tokens=words, d=d, temperature=temperature, seed=seed, scale=scaled)
                flags = ["--tokens", words, "--d", d, "--temperature", temperature, "--seed", seed, "--scale", "sqrt" if scaled else "none"]
                tables = {one["name"]: one["rows"] for one in json.loads(attnlab("inspect", *flags, "--format", "json"))["tables"]}
                printed = attnlab("inspect", *flags, "--table", "readouts").split("\n")
                row, shown = tables["readouts"][0], self.readouts()
                for name in ("spread", "entropy", "max_weight", "gradient_scale"):
                    if row[name] is None:
                        self.assertEqual(shown[name]["text"], "-")
                        continue
                    self.assertAlmostEqual(float(shown[name]["value"]), row[name], delta=1e-12 + 1e-11 * abs(row[name]))
                    self.assertIn(shown[name]["text"], " ".join(printed).split())
                weights = self.browser.run("return [...document.querySelectorAll('#widget td + td, #widget th + td')].map((one) => one.textContent)")
                self.assertEqual(weights, [f"{one['weight']:.2f}" for one in tables["weights"]])
                warned = "saturated" in row["flags"].split(", ")
                self.assertEqual("Saturated" in self.browser.find("#widget .message").text, warned)

    def test_its_command_is_what_it_shows(self):
        self.browser.show(self.page)
        self.set(tokens="--it's $(so) \\ \"q\"", d=8, seed=4, temperature=2, scale=False)
        command = self.browser.find("#widget .command code").text
        done = subprocess.run(["bash", "-c", 'attnlab() { "$0" "$@"; }; ' + command + " --format json", BINARY], capture_output=True, text=True)
        row = {one["name"]: one["rows"] for one in json.loads(done.stdout)["tables"]}["readouts"][0]
        self.assertAlmostEqual(float(self.readouts()["entropy"]["value"]), row["entropy"], delta=1e-11)

    def test_what_cannot_be_computed_is_said(self):
        self.browser.show(self.page)
        for name, value, words in (("d", "0", "from 1 to 65536"), ("d", "1.5", "from 1 to 65536"), ("seed", "4294967296", "4294967295"),
                                   ("temperature", "-1", "at least 0"), ("tokens", " ", "from 1 to 40 words"),
                                   ("tokens", "a " * 41, "from 1 to 40 words")):
            self.browser.show(self.page)
            self.set(**{name: value})
            self.assertIn(words, self.browser.find("#widget .message").text)
            self.assertEqual(self.browser.find(f"#widget input[name={name}]").get_attribute("aria-invalid"), "true")
            for part in (".heat", ".readouts", ".command"):
                self.assertIn("stale", self.browser.find("#widget " + part).get_attribute("class"))
        self.set(tokens="one two")
        self.assertNotIn("stale", self.browser.find("#widget .command").get_attribute("class"))

    def test_next_seed(self):
        self.browser.show(self.page)
        before = self.readouts()["entropy"]["text"]
        self.browser.find("#widget button[name=another]").click()
        self.assertEqual(self.browser.find("#widget input[name=seed]").get_attribute("value"), "2")
        self.assertNotEqual(self.readouts()["entropy"]["text"], before)


class LongTable(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.folder / "page.html"
        attnlab("report", save(cls.folder / "result.json", long_result(100_000)), "-o", cls.page)

    def milliseconds(self, script):
        return self.browser.run(f"const start = performance.now(); {script}; return performance.now() - start")

    def test_a_hundred_thousand_rows_are_sorted_turned_and_searched(self):
        self.browser.show(self.page)
        loaded = self.browser.run("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
        self.assertIn("rows 1 to 100 of 100,000", self.browser.find(".pager").text)
        times = {"load": loaded}
        times["sort"] = self.milliseconds("document.querySelectorAll('.table th button')[2].click()")
        self.assertEqual([float(text) for text in self.cells(".table", 2)], [i / 1000 for i in range(1, 101)])
        times["last"] = self.milliseconds("document.querySelectorAll('.pager button')[3].click()")
        self.assertEqual(float(self.cells(".table", 2)[-1]), 100)
        self.assertIn("rows 99,901 to 100,000 of 100,000", self.browser.find(".pager").text)
        self.assertEqual([one.is_enabled() for one in self.browser.find_all(".pager button")], [True, True, False, False])
        self.browser.find_all(".pager button")[1].click()
        self.assertEqual(len(self.cells(".table", 0)), 100)
        self.browser.find(".pager input").send_keys("99998")
        self.browser.driver.execute_async_script("setTimeout(arguments[0], 600)")
        self.assertEqual([text for text in self.cells(".table", 0) if text == "99998"], ["99998"])
        print(f"\n100,000 rows: {times} ms", file=sys.stderr)
        self.assertLess(max(times.values()), 3000)


class Hostile(PageTest):
    def test_a_script_in_a_title_is_shown_and_not_run(self):
        title = "<script>document.documentElement.dataset.bad = 1</script><img src=x onerror='document.documentElement.dataset.bad = 1'>"
        columns = {"n": ("parameter", title, title), "x": ("exact", "", "")}
        rows = [[i, title] for i in range(150)]
        page = self.folder / "page.html"
        source = save(self.folder / "result.json", result([table("sweep", columns, rows, title=title, notes=[title])], name=title))
        attnlab("report", source, "-o", page, "--title", title)
        self.browser.show(page)
        self.browser.find_all(".table th button")[1].click()
        self.browser.run("arguments[0].focus()", self.browser.find("th button"))
        self.assertEqual(self.browser.find("h1").text, title)
        self.assertEqual(self.cells(".table", 1)[0], title)
        self.assertIsNone(self.browser.run("return document.documentElement.dataset.bad || null"))

    def test_without_gnuplot_there_is_a_note(self):
        empty = self.folder / "empty"
        empty.mkdir()
        page = self.folder / "page.html"
        attnlab("variance", "--quick", "--quiet", "-o", self.folder / "variance.json")
        attnlab("report", self.folder / "variance.json", "-o", page, env={"PATH": str(empty)})
        self.browser.show(page)
        self.assertIn("There are no plots here", self.browser.find("main > .note").text)


if __name__ == "__main__":
    unittest.main()
