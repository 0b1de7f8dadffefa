// What a page does besides its tables: tells what a column means where it is pointed at or
// focussed, copies commands, opens what a link leads to, opens everything for print.
'use strict';

(() => {
  const texts = JSON.parse(document.getElementById('texts').textContent);

  document.documentElement.classList.add('js');

  // ---- help of a column ----
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'tooltip');
  tip.hidden = true;
  document.body.append(tip);

  let owner = null;  // the button whose column is explained
  const place = () => {
    if (!owner) return;
    const at = owner.getBoundingClientRect();
    const right = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(at.left, right))}px`;
    const below = at.bottom + 6;
    const fits = below + tip.offsetHeight < document.documentElement.clientHeight;
    tip.style.top = `${fits ? below : Math.max(8, at.top - tip.offsetHeight - 6)}px`;
  };
  const hide = () => {
    owner = null;
    tip.hidden = true;
  };
  const show = (button) => {
    const help = document.getElementById(button.getAttribute('aria-describedby'));
    if (!help || help.textContent === '') return;
    owner = button;
    tip.textContent = help.textContent;
    tip.hidden = false;
    place();
  };
  for (const button of document.querySelectorAll('th button[aria-describedby]')) {
    button.addEventListener('pointerenter', () => show(button));
    button.addEventListener('pointerleave', hide);
    button.addEventListener('focus', () => show(button));
    button.addEventListener('blur', hide);
  }
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  document.addEventListener('scroll', place, {capture: true, passive: true});

  // ---- commands to copy ----
  const copied = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {  // the browser keeps the clipboard from pages: select it, and ask the old way
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return document.execCommand('copy');
    }
    return true;
  };
  for (const box of document.querySelectorAll('.command')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = texts.copy;
    button.addEventListener('click', async () => {
      button.textContent = await copied(box.querySelector('code')) ? texts.copied : texts.copy;
      setTimeout(() => { button.textContent = texts.copy; }, 2000);
    });
    box.append(button);
  }

  // ---- links into what is closed ----
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let isOpened = false;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName !== 'DETAILS' || at.open) continue;
      at.open = true;
      isOpened = true;
    }
    if (isOpened) target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();

  // ---- print ----
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details.print:not([open])')];
    for (const one of opened) one.open = true;
  });
  addEventListener('afterprint', () => {
    for (const one of opened) one.open = false;
  });
})();
