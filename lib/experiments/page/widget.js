// The lesson's widget: words attend to each other, with q and k drawn at random. It draws and
// computes as `attnlab inspect --tokens` does (mulberry32; for each word d normals of q, then d of
// k; everything in doubles), so that the same seed prints the same digits.
'use strict';

(() => {
  const MOST_WORDS = 40;
  const MOST_D = 65536;
  const root = document.getElementById('widget');
  const texts = JSON.parse(document.getElementById('widget-texts').textContent);
  const field = (name) => root.querySelector(`[name="${name}"]`);

  // ---- drawing ----
  // Numbers of Tommy Ettinger's mulberry32, as lib/random/mulberry32.h has them.
  const normals = (seed) => {
    let state = seed >>> 0;
    const uniform = () => {
      state = (state + 0x6D2B79F5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    return () => {
      const u = Math.max(uniform(), 1e-12);
      const v = uniform();
      return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    };
  };

  const drawn = (count, d, seed) => {
    const next = normals(seed);
    const vector = () => Float64Array.from({length: d}, next);
    return Array.from({length: count}, () => ({q: vector(), k: vector()}));
  };

  // ---- softmax of a row: lib/analysis/softmax_row.h ----
  const rowOf = (logits, temperature) => {
    const largest = Math.max(...logits);
    const smallest = Math.min(...logits);
    const factor = 1 / temperature;
    const relative = logits.map((logit) => {
      if (logit === largest) return 1;
      return Number.isFinite(factor) ? Math.exp((logit - largest) / temperature) : 0;
    });
    const total = relative.reduce((sum, weight) => sum + weight, 0);
    const row = {largest, smallest, weights: relative.map((weight) => weight / total)};
    if (!Number.isFinite(factor)) {
      const ties = logits.filter((logit) => logit === largest).length;
      return {...row, entropy: Math.log2(ties), maxWeight: 1 / ties, gradient: (ties - 1) / (ties * ties)};
    }
    // The largest itself adds 1: without it, 1 - p is exact where p is nearly 1.
    let rest = -1;
    let small = 0;
    let weighted = 0;
    for (const logit of logits) {
      const gap = (largest - logit) * factor;
      if (gap > 0) {
        const e = Math.exp(-gap);
        small += e;
        if (e > 0) weighted += gap * e;
      } else {
        rest += 1;
      }
    }
    rest += small;
    const sum = 1 + rest;
    return {
      ...row,
      entropy: (Math.log1p(rest) + weighted / sum) * Math.LOG2E,
      maxWeight: 1 / sum,
      gradient: rest / (sum * sum),
    };
  };

  const attention = ({words, d, isScaled, temperature, seed}) => {
    const vectors = drawn(words.length, d, seed);
    const scale = isScaled ? 1 / Math.sqrt(d) : 1;
    const rows = vectors.map(({q}) => rowOf(vectors.map(({k}) => {
      let product = 0;
      for (let c = 0; c < d; ++c) product += q[c] * k[c];
      return scale * product;
    }), temperature));
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const largest = Math.max(...rows.map((row) => row.largest));
    const smallest = Math.min(...rows.map((row) => row.smallest));
    const isWide = words.length > 1;
    return {
      rows,
      readouts: {
        spread: (largest - smallest) / temperature,
        entropy: mean(rows.map((row) => row.entropy)),
        max_weight: Math.max(...rows.map((row) => row.maxWeight)),
        gradient_scale: Math.max(...rows.map((row) => row.gradient)),
      },
      isSaturated: isWide && mean(rows.map((row) => row.gradient)) < 0.05 &&
          mean(rows.map((row) => row.maxWeight)) > 0.5,
    };
  };

  // ---- showing ----
  // A number as attnlab's tables print a single one: four digits.
  const printed = (value) => {
    if (!Number.isFinite(value)) return '-';
    if (Number.isInteger(value)) return String(value);
    const magnitude = Math.floor(Math.log10(Math.abs(value)));
    if (magnitude > 9 || magnitude < -6) {
      const [digits, power] = value.toExponential(3).split('e');
      const sign = power.startsWith('-') ? '-' : '+';
      return `${Number(digits)}e${sign}${power.slice(1).padStart(2, '0')}`;
    }
    return value.toFixed(Math.max(0, 3 - magnitude));
  };

  // From pale to dark blue, by the root of the weight: small ones are to be seen beside large ones.
  const RAMP = [[247, 251, 255], [198, 219, 239], [107, 174, 214], [33, 113, 181], [8, 48, 107]];
  const colorOf = (weight) => {
    const place = Math.sqrt(weight) * (RAMP.length - 1);
    const from = Math.min(Math.floor(place), RAMP.length - 2);
    return RAMP[from].map((low, i) => Math.round(low + (place - from) * (RAMP[from + 1][i] - low)));
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  const element = (name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const showWeights = (words, rows) => {
    const head = element('tr');
    head.append(element('td'), ...words.map((word) => {
      const cell = element('th', word);
      cell.scope = 'col';
      return cell;
    }));
    const lines = rows.map(({weights}, index) => {
      const line = element('tr');
      const name = element('th', words[index]);
      name.scope = 'row';
      line.append(name, ...weights.map((weight) => {
        const cell = element('td', weight.toFixed(2));
        const color = colorOf(weight);
        cell.style.backgroundColor = `rgb(${color.join(', ')})`;
        cell.style.color = luminance(color) > 0.179 ? '#000000' : '#ffffff';
        return cell;
      }));
      return line;
    });
    const table = root.querySelector('table');
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...lines);
  };

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const commandOf = ({words, d, isScaled, temperature, seed}) =>
    `attnlab inspect --tokens=${quoted(words.join(' '))} --d ${d} ` +
      `--scale ${isScaled ? 'sqrt' : 'none'} --temperature ${temperature} --seed ${seed}`;

  // What the controls say; the name of a control that says nothing usable.
  const settings = () => {
    const whole = (name, low, high) => {
      const text = field(name).value.trim();
      const value = Number(text);
      return text !== '' && Number.isInteger(value) && value >= low && value <= high ? value : null;
    };
    const words = field('tokens').value.split(/[ \t\n]+/).filter((word) => word !== '');
    const heat = field('temperature').value.trim();
    const out = {
      words,
      d: whole('d', 1, MOST_D),
      isScaled: field('scale').checked,
      temperature: heat !== '' && Number(heat) >= 0 && Number.isFinite(Number(heat)) ? Number(heat) : null,
      seed: whole('seed', 0, 4294967295),
    };
    if (words.length === 0 || words.length > MOST_WORDS) return {wrong: 'tokens'};
    for (const name of ['d', 'temperature', 'seed']) {
      if (out[name] === null) return {wrong: name};
    }
    return out;
  };

  const update = () => {
    const now = settings();
    const message = root.querySelector('.message');
    for (const input of root.querySelectorAll('input')) {
      input.setAttribute('aria-invalid', String(input.name === now.wrong));
    }
    // What stands there belongs to the settings before.
    for (const part of root.querySelectorAll('.heat, .readouts, .command')) {
      part.classList.toggle('stale', Boolean(now.wrong));
    }
    if (now.wrong) {
      message.textContent = texts.wrong[now.wrong];
      message.className = 'message warn';
      return;
    }
    const {rows, readouts, isSaturated} = attention(now);
    showWeights(now.words, rows);
    for (const [name, value] of Object.entries(readouts)) {
      const output = root.querySelector(`output[data-readout="${name}"]`);
      output.textContent = printed(value);
      output.dataset.value = String(value);
    }
    message.textContent = isSaturated ? texts.saturated : texts.fine;
    message.className = isSaturated ? 'message warn' : 'message';
    root.querySelector('.command code').textContent = commandOf(now);
  };

  for (const input of root.querySelectorAll('input')) input.addEventListener('input', update);
  root.querySelector('button[name="another"]').addEventListener('click', () => {
    const seed = Number(field('seed').value);
    field('seed').value = String(Number.isInteger(seed) && seed >= 0 ? (seed + 1) % 4294967296 : 1);
    update();
  });
  update();
})();
