// Tables of a page: sorted by a column's button, drawn a window of rows at a time where they are
// many, narrowed to the rows that hold a text. Short tables have all their rows in the page; long
// ones have the first there (for print, and without scripts) and all as JSON beside them, which is
// read only when it is asked for.
'use strict';

(() => {
  const WINDOW = 100;  // rows drawn at a time
  const texts = JSON.parse(document.getElementById('texts').textContent);
  const collator = new Intl.Collator(document.documentElement.lang, {numeric: true});

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const grouped = (count) => count.toLocaleString(document.documentElement.lang);

  // What a cell is sorted by: its number as it is shown (a column has one unit), or its text.
  // Cells without a value come last, whatever the order.
  const keyOf = (text, isNumeric) => {
    if (!isNumeric) return text === '-' ? null : text;
    const number = parseFloat(text.replace(/\s/g, ''));
    return Number.isNaN(number) ? null : number;
  };

  const compare = (a, b) => (typeof a === 'number' ? a - b : collator.compare(a, b));

  class SortedTable {
    constructor(box) {
      this.box = box;
      this.body = box.querySelector('tbody');
      this.heads = [...box.querySelectorAll('thead th')];
      this.data = box.querySelector('script.rows');
      this.first = 0;
      this.column = -1;
      this.direction = 1;
      this.heads.forEach((head, column) => {
        head.setAttribute('aria-sort', 'none');
        head.querySelector('button').addEventListener('click', () => this.sortBy(column));
      });
      if (this.data) this.addControls(Number(box.dataset.rows));
    }

    // Rows as {cells, line}: a short table keeps its lines, with their ids.
    load() {
      if (this.rows) return;
      if (this.data) {
        this.rows = JSON.parse(this.data.textContent).map((cells) => ({cells, line: null}));
      } else {
        this.rows = [...this.body.rows].map(
            (line) => ({cells: [...line.cells].map((cell) => cell.textContent), line}));
      }
      this.shown = this.rows;
    }

    addControls(count) {
      const bar = document.createElement('div');
      bar.className = 'pager';
      const button = (text, label, move) => {
        const made = document.createElement('button');
        made.type = 'button';
        made.textContent = text;
        made.setAttribute('aria-label', label);
        made.addEventListener('click', () => {
          this.load();
          this.first = move();
          this.draw();
        });
        bar.append(made);
        return made;
      };
      const last = () => Math.max(0, Math.floor((this.shown.length - 1) / WINDOW) * WINDOW);
      this.back = [
        button('«', texts.first, () => 0),
        button('‹', texts.previous, () => Math.max(0, this.first - WINDOW)),
      ];
      this.forth = [
        button('›', texts.next, () => Math.min(last(), this.first + WINDOW)),
        button('»', texts.last, last),
      ];
      this.place = document.createElement('span');
      this.place.setAttribute('role', 'status');
      const search = document.createElement('input');
      search.type = 'search';
      search.placeholder = texts.search;
      search.setAttribute('aria-label', texts.search);
      let waiting = 0;
      search.addEventListener('input', () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => this.narrow(search.value), 150);
      });
      bar.append(this.place, search);
      this.box.prepend(bar);
      this.tell(count);
    }

    tell(count) {
      if (!this.place) return;
      const values = {
        from: grouped(count === 0 ? 0 : this.first + 1),
        to: grouped(Math.min(this.first + WINDOW, count)),
        count: grouped(count),
      };
      this.place.textContent = filled(texts.rows, values);
      for (const one of this.back) one.disabled = this.first === 0;
      for (const one of this.forth) one.disabled = this.first + WINDOW >= count;
    }

    narrow(text) {
      this.load();
      const wanted = text.trim().toLowerCase();
      this.shown = wanted === '' ? this.rows : this.rows.filter(
          ({cells}) => cells.some((cell) => cell.toLowerCase().includes(wanted)));
      this.first = 0;
      this.order();
      this.draw();
    }

    // Ascending, descending, as it was.
    sortBy(column) {
      this.load();
      if (this.column !== column) {
        [this.column, this.direction] = [column, 1];
      } else if (this.direction === 1) {
        this.direction = -1;
      } else {
        [this.column, this.direction] = [-1, 1];
      }
      this.heads.forEach((head, index) => {
        const word = this.direction === 1 ? 'ascending' : 'descending';
        head.setAttribute('aria-sort', index === this.column ? word : 'none');
      });
      this.first = 0;
      this.order();
      this.draw();
    }

    order() {
      if (this.column < 0) {
        this.sorted = this.shown;
        return;
      }
      const isNumeric = this.heads[this.column].classList.contains('number');
      const keyed = this.shown.map((row) => ({row, key: keyOf(row.cells[this.column], isNumeric)}));
      keyed.sort((a, b) => {
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
        return this.direction * compare(a.key, b.key);
      });
      this.sorted = keyed.map(({row}) => row);
    }

    draw() {
      const all = this.sorted || this.shown;
      const some = this.data ? all.slice(this.first, this.first + WINDOW) : all;
      this.body.replaceChildren(...some.map((row) => row.line || this.lineOf(row.cells)));
      this.tell(all.length);
    }

    lineOf(cells) {
      const line = document.createElement('tr');
      cells.forEach((text, column) => {
        const cell = document.createElement('td');
        cell.className = this.heads[column].className;
        cell.textContent = text;
        line.append(cell);
      });
      return line;
    }
  }

  for (const box of document.querySelectorAll('.table')) new SortedTable(box);
})();
