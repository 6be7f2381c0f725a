// Results beside each other, pins and notes.

import { csvButtons, csvOf } from './chart.js';
import { command, h, number, problem, say, show } from './elements.js';
import { ask } from './server.js';

/** A pin and a note about a result, kept in the folder. */
export function note(path, known) {
  const pinned = h('input', { type: 'checkbox', id: 'pinned', checked: Boolean(known.isPinned) });
  const text = h('textarea', { id: 'note', rows: 2, value: known.note ?? '', 'aria-describedby': 'note-words' });
  const problems = h('div');
  const keep = async () => {
    try {
      await ask('note', { path, isPinned: pinned.checked, text: text.value });
      show(problems);
      say('the note is kept');
    } catch (error) {
      show(problems, problem(error.message));
    }
  };
  pinned.addEventListener('change', keep);
  return h('details', { open: Boolean(known.note) }, h('summary', {}, known.isPinned ? 'Note, pinned' : 'Note'),
    h('p', {}, pinned, ' ', h('label', { for: 'pinned' }, 'first in the list of results')),
    h('p', {}, h('label', { for: 'note' }, 'What you want to remember'), text),
    h('p', { class: 'soft', id: 'note-words' }, 'Kept in workbench-notes.json in the folder, where everybody who opens it reads it.'),
    h('button', { type: 'button', click: keep }, 'Keep the note'), problems);
}

const MARKS = { better: ['pass', '✓'], worse: ['fail', '✗'] };

function change(one) {
  if (!one) return [h('td', {}), h('td', {})];
  const [style, mark] = MARKS[one.verdict] ?? ['', ''];
  const percent = (value) => `${value > 0 ? '+' : ''}${number(value * 100)}\u00a0%`;
  return [h('td', { class: 'number' }, one.candidate),
    h('td', {}, one.relative !== undefined && percent(one.relative),
      one.low !== undefined && h('span', { class: 'soft' }, ` (${percent(one.low)} to ${percent(one.high)})`),
      one.verdict && [' ', h('span', { class: 'badge ' + style }, `${mark} ${one.verdict}`)])];
}

export async function comparePage(main, name, query) {
  const paths = query.getAll('with');
  show(main, h('h1', {}, 'Comparing …'));
  const found = await ask('compare', { paths });
  const { rows, others } = found;
  const header = ['metric', found.baseline, ...others.flatMap((one) => [one.path, `change, ${one.path}`])];
  const csv = () => csvOf([
    ['metric', found.baseline, ...others.flatMap((one) => [one.path, 'relative change', 'from', 'to', 'verdict'])],
    ...rows.map((row, index) => [row.metric, row.value, ...others.flatMap(({ changes }) => {
      const one = changes[index] ?? {};
      return [one.value ?? null, one.relative ?? null, one.low ?? null, one.high ?? null, one.verdict ?? null];
    })])]);
  show(main, h('h1', {}, 'Comparison'),
    h('p', {}, `The baseline is ${found.baseline}. Verdicts are about the few metrics that matter; in brackets the interval of the change.`),
    csvButtons('comparison', csv),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Comparison' },
      h('table', {}, h('thead', {}, h('tr', {}, header.map((text, index) => h('th', { scope: 'col', class: index === 1 ? 'number' : null }, text)))),
        h('tbody', {}, rows.map((row, index) => h('tr', {}, h('th', { scope: 'row' }, row.metric), h('td', { class: 'number' }, row.baseline),
          others.map(({ changes }) => change(changes[index]))))))),
    others.map((one) => h('section', { 'aria-label': one.path }, h('h2', {}, one.path), command(one.command),
      one.settings.length > 0 && h('details', {}, h('summary', {}, one.settings.length === 1 ? '1 setting differs' : `${one.settings.length} settings differ`),
        h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': `Settings that differ, ${one.path}` }, h('table', {},
          h('thead', {}, h('tr', {}, ['setting', 'baseline', 'here'].map((text) => h('th', { scope: 'col' }, text)))),
          h('tbody', {}, one.settings.map((setting) => h('tr', {}, h('th', { scope: 'row' }, setting.path), h('td', {}, setting.baseline ?? '–'), h('td', {}, setting.candidate ?? '–'))))))),
      h('details', {}, h('summary', {}, 'As the terminal says it'), h('pre', {}, one.text)))));
}
