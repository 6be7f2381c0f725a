// What the pages of knobs have in common: boxes and sliders, an answer while they turn, and a simulation that confirms it.

import { command, h, number, problem, seconds, share, show } from './elements.js';
import { liveFigures } from './live.js';
import { runState } from './runs.js';
import { ask } from './server.js';

/**
 * A page of knobs: values stand behind ? in the address, and each change is answered at once.
 *
 * @param page main, path, query, defaults, title, lead, knobs(tools) → elements, question(state), draw(found, state) → elements
 */
export async function knobPage({ main, path, query, defaults, title, lead, knobs, question, draw, below }) {
  const state = Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, query.get(key) ?? value]));
  const answer = h('div', { 'aria-live': 'polite', 'aria-atomic': 'false' });
  const sliders = [];
  let asked = 0;

  async function update() {
    if (!main.isConnected) return;
    asked += 1;
    const mine = asked;
    history.replaceState(null, '', `#/${path}?${new URLSearchParams(state)}`);
    try {
      const found = await ask(path, question(state));
      if (mine === asked) show(answer, draw(found, state));
    } catch (error) {
      if (mine === asked) show(answer, problem(error.message));
    }
  }

  const sync = () => sliders.forEach((one) => one());
  const tools = {
    state,
    update,
    text(id, label, words) {
      const input = h('input', { id, value: state[id], 'aria-describedby': id + '-words', autocomplete: 'off', spellcheck: 'false' });
      input.addEventListener('input', () => { state[id] = input.value; sync(); update(); });
      return h('div', { class: 'knob' }, h('label', { for: id }, label), input, h('p', { class: 'soft', id: id + '-words' }, words));
    },
    slider(id, label, low, high, step, toText, fromText) {
      const input = h('input', { type: 'range', min: low, max: high, step, 'aria-label': label });
      const tell = () => input.setAttribute('aria-valuetext', state[id] || 'the best');
      input.addEventListener('input', () => {
        state[id] = toText(Number(input.value));
        document.getElementById(id).value = state[id];
        tell();
        update();
      });
      sliders.push(() => { input.value = fromText(state[id]); tell(); });
      return input;
    },
    choice(id, legend, options, changed = () => {}) {
      return h('fieldset', { class: 'choice' }, h('legend', {}, legend), options.map(([value, text]) => {
        const input = h('input', { type: 'radio', name: id, value, id: `${id}-${value}`, checked: state[id] === value });
        input.addEventListener('change', () => { state[id] = value; changed(); update(); });
        return [input, h('label', { for: input.id }, text)];
      }));
    },
    /** Puts values in, as if somebody had typed them. */
    set(values) {
      for (const [id, value] of Object.entries(values)) {
        if (!(id in state)) continue;
        state[id] = value;
        const input = document.getElementById(id) ?? document.getElementById(`${id}-${value}`);
        if (input && input.type === 'radio') input.checked = true; else if (input) input.value = value;
      }
      sync();
      return update();
    },
  };
  show(main, h('h1', {}, title), h('p', { class: 'lead' }, lead),
    h('div', { class: 'columns' },
      h('form', { class: 'knobs', 'aria-label': 'Knobs', submit: (event) => event.preventDefault() }, knobs(tools)),
      h('div', {}, answer, below && below(tools))));
  sync();
  await update();
  return tools;
}

const FACTORS = { '': 1, s: 1, k: 1e3, M: 1e6, G: 1e9, '%': 0.01, ms: 1e-3, min: 60, h: 3600, d: 86400 };

/** A number as people type it, for sliders only: the program reads the text itself. */
export function amount(text) {
  const found = /^([0-9.e+-]+)(?:\/([0-9.]+))?(ms|min|[kMG%shd]?)/.exec(String(text).replaceAll(/[\s_]/g, ''));
  return found ? Number(found[1]) / Number(found[2] ?? 1) * FACTORS[found[3]] : 0;
}

export function tiles(rows) {
  return h('ul', { class: 'tiles' }, rows.filter(Boolean).map(([value, words]) =>
    h('li', {}, h('span', { class: 'figure' }, value), h('span', { class: 'soft' }, words))));
}

/** A box that takes the values of knobs from a result of the folder. */
export function measured(folder, part, tools) {
  const results = folder.results.filter((one) => one.state === 'complete');
  if (!results.length) return h('p', { class: 'soft' }, 'After a run of your own, its figures can be taken from here.');
  const problems = h('div');
  const select = h('select', { id: 'measured', change: async () => {
    show(problems);
    if (!select.value) return;
    try {
      await tools.set((await ask('knobs', { path: select.value }))[part]);
    } catch (error) {
      show(problems, problem(error.message));
    }
  } }, h('option', { value: '' }, 'choose'), results.slice(0, 200).map((one) => h('option', { value: one.path }, `${one.name} (${one.path})`)));
  return h('div', { class: 'knob' }, h('label', { for: 'measured' }, 'Take figures from a result'), select, problems);
}

const UNITS = { s: seconds, 1: share, B: number, count: number };

/** Asks for a simulation of what the knobs say, and lets its figures fill in as replications end. */
export function confirmation(folder, path, tools) {
  const scenarios = folder.scenarios.filter((one) => !one.problem);
  const shown = h('div', { class: 'confirmation' });
  const select = h('select', { id: 'confirm-with' }, scenarios.map((one) => h('option', { value: one.path }, one.name)));
  const button = h('button', { type: 'button', click: start }, 'Confirm by simulation');
  let forget = () => {};

  async function start() {
    button.disabled = true;
    forget();
    try {
      const asked = await ask(`${path}/confirm`, { path: select.value, knobs: tools.question() });
      forget = follow(shown, asked);
    } catch (error) {
      show(shown, problem(error.message));
    }
    button.disabled = false;
  }

  return h('section', { 'aria-labelledby': 'confirm-title' },
    h('h2', { id: 'confirm-title' }, 'Is that so?'),
    h('p', {}, 'The figures above are closed forms. A simulation of a scenario tells what they leave out, replication by replication.'),
    scenarios.length ? h('p', { class: 'row' }, h('label', { for: 'confirm-with' }, 'With the devices of '), select, button)
      : h('p', {}, 'There is no scenario in the folder yet. ', h('a', { href: '#/' }, 'Make one'), '.'),
    shown);
}

/** Shows a run beside what was expected, until the page is left. */
function follow(place, { run, words, expected }) {
  const state = h('p', { role: 'status' });
  const table = h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Closed form and simulation' });
  const figures = h('div');
  show(place, h('p', {}, 'Simulated: ', words, '.'), state, table, command(run.command), figures);
  return liveFigures(figures, run.result, (points, now) => {
    const count = Math.min(...points.map((point) => point.replications), Infinity);
    const isOver = !['waiting', 'running', 'stopping'].includes(now?.state ?? 'running');
    state.textContent = `${runState(now ?? run)}${Number.isFinite(count) ? `, ${count} ${count === 1 ? 'replication' : 'replications'} so far` : ''}`
      + (now?.state === 'failed' ? `: ${now.line}` : '');
    show(table, h('table', {}, h('thead', {}, h('tr', {}, ['figure', 'closed form', 'simulation', '95 % of its mean'].map((head, index) =>
      h('th', { scope: 'col', class: index ? 'number' : null }, head)))),
    h('tbody', {}, expected.map((one) => row(one, points, isOver)))));
  }, run, expected.map((one) => one.metric));
}

function row(one, points) {
  const format = UNITS[one.unit] ?? number;
  const found = simulated(one, points);
  return h('tr', {}, h('th', { scope: 'row' }, one.title, one.words && h('span', { class: 'soft' }, ` (${one.words})`)),
    h('td', { class: 'number' }, format(one.value)),
    h('td', { class: 'number' }, found ? format(found.mean) : '…'),
    h('td', { class: 'number' }, found?.low !== undefined ? `${format(found.low)} to ${format(found.high)}` : found ? 'more replications tell' : ''));
}

function metricOf(point, one) {
  return point?.metrics.find((metric) => metric.name === one.metric && metric.statistic === one.statistic);
}

/** A figure of the simulation; a difference is of the same replications of two points. */
function simulated(one, points) {
  if (!one.minus) return metricOf(points[0], one);
  const [first, second] = one.minus.map((index) => metricOf(points[index], one)?.values ?? []);
  const values = first.slice(0, second.length).map((value, index) => value - second[index]);
  if (!values.length) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1) / values.length);
  if (values.length < 2 || spread === 0) return { mean };
  const half = student(values.length - 1) * spread;
  return { mean, low: mean - half, high: mean + half };
}

/** Student's quantile for 95 %: table for few degrees of freedom, then Cornish and Fisher's series. */
function student(freedom) {
  const table = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
  if (freedom <= table.length) return table[freedom - 1];
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

