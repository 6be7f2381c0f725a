// What is in the folder.

import { count, h, problem, show } from './elements.js';
import { ask } from './server.js';

const STATES = { complete: '', unfinished: 'unfinished', damaged: 'cannot be read' };

/** A verdict as a word with a mark, never by colour alone. */
export function verdict(result) {
  if (result.state !== 'complete') return h('span', { class: 'badge open' }, STATES[result.state] ?? result.state);
  if (!result.verdict) return h('span', { class: 'badge' }, 'nothing was asked');
  const [style, mark, words] = {
    pass: ['pass', '✓', 'all objectives pass'], fail: ['fail', '✗', 'an objective is missed'],
    'cannot tell': ['open', '?', 'cannot tell yet'],
  }[result.verdict];
  return h('span', { class: 'badge ' + style }, `${mark} ${words}`);
}

export function date(seconds) {
  return new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

function scenarioCard(one) {
  return h('li', { class: 'card' },
    h('a', { href: '#/scenario/' + encodeURIComponent(one.path) }, one.name),
    h('p', { class: 'soft file' }, one.path),
    one.words && h('p', {}, one.words),
    one.problem && h('p', { class: 'bad' }, 'Cannot be used: ' + one.problem));
}

function resultCard(one) {
  return h('li', { class: one.isPinned ? 'card pinned' : 'card' },
    h('a', { href: '#/result/' + encodeURIComponent(one.path) }, one.name),
    h('p', { class: 'row' }, verdict(one), one.points > 1 && ` ${count(one.points)} points`, chooser(one)),
    one.note && h('p', { class: 'note' }, one.note),
    h('p', { class: 'soft file' }, `${one.path} · ${date(one.date)}`),
    one.problem && h('p', { class: 'bad' }, one.problem));
}

/** A mark for the comparison; a result with one point can be compared. */
function chooser(one) {
  if (one.state !== 'complete' || one.points !== 1) return null;
  const input = h('input', { type: 'checkbox', id: 'choose-' + one.path, checked: chosen.includes(one.path) });
  input.addEventListener('change', () => {
    chosen = chosen.filter((path) => path !== one.path);
    if (input.checked) chosen.push(one.path);
    tell();
  });
  return h('span', {}, input, ' ', h('label', { for: input.id }, 'compare', h('span', { class: 'hidden' }, ` ${one.name} ${one.path}`)));
}

/** Paths of results that were marked, the baseline first. */
let chosen = [];
let tell = () => {};

function comparison() {
  const link = h('a', { class: 'button' }, 'Compare');
  const words = h('span', { class: 'soft' });
  const row = h('p', { class: 'row', role: 'status' }, link, words);
  tell = () => {
    row.hidden = chosen.length === 0;
    link.hidden = chosen.length < 2;
    link.href = '#/compare?' + new URLSearchParams(chosen.map((path) => ['with', path]));
    words.textContent = chosen.length < 2 ? 'Mark another result to compare with it.' : `${chosen.length} results, ${chosen[0]} as the baseline`;
  };
  tell();
  return row;
}

/** A first scenario, for a folder that has none. */
function newScenario(isOpen) {
  const problems = h('div');
  const name = h('input', { id: 'new-name', value: 'first.yaml', autocomplete: 'off', spellcheck: 'false' });
  const kind = h('select', { id: 'new-kind' }, [['school', 'a school'], ['company', 'a company'], ['homes', 'homes']].map(([value, text]) => h('option', { value }, text)));
  const devices = h('input', { id: 'new-devices', value: '500', autocomplete: 'off' });
  const entries = h('textarea', { id: 'new-list', rows: 5, spellcheck: 'false', placeholder: 'games.example\nads.example/banner/' });
  const make = async (event) => {
    event.preventDefault();
    try {
      await ask('scenario/new', { path: name.value, kind: kind.value, devices: devices.value, list: entries.value });
      location.hash = '#/scenario/' + encodeURIComponent(name.value);
    } catch (error) {
      show(problems, problem(error.message));
    }
  };
  return h('details', { open: isOpen }, h('summary', {}, 'New scenario'),
    h('form', { submit: make, class: 'new' },
      h('p', {}, h('label', { for: 'new-kind' }, 'For '), kind, h('label', { for: 'new-devices' }, ' with '), devices, ' devices'),
      h('p', {}, h('label', { for: 'new-list' }, 'What is to be blocked, one entry a line'), entries),
      h('p', { class: 'row' }, h('label', { for: 'new-name' }, 'File '), name, h('button', { type: 'submit', class: 'first' }, 'Make it')),
      problems));
}

function list(title, words, items, card, empty, more) {
  const name = title.toLowerCase();
  const box = h('input', { type: 'search', id: 'search-' + name, placeholder: title === 'Results' ? 'name, verdict, note, or a setting: pir.cores=4' : 'name or file' });
  const cards = items.map((item) => [card(item), JSON.stringify(item).toLowerCase()]);
  box.addEventListener('input', () => {
    for (const [element, text] of cards) element.hidden = !text.includes(box.value.toLowerCase());
  });
  return h('section', { 'aria-labelledby': 'title-' + name },
    h('h2', { id: 'title-' + name }, title, h('span', { class: 'soft' }, ` ${count(items.length)}`)),
    h('p', { class: 'soft' }, words),
    more, items.length > 6 && h('p', {}, h('label', { for: box.id }, 'Filter '), box),
    items.length ? h('ul', { class: 'cards' }, cards.map(([element]) => element)) : h('p', {}, empty));
}

export async function startPage(main) {
  show(main, h('h1', {}, 'Reading the folder …'));
  const folder = await ask('folder');
  chosen = chosen.filter((path) => folder.results.some((one) => one.path === path));
  show(main,
    h('h1', {}, folder.folder.split('/').pop() || folder.folder),
    h('p', { class: 'soft file' }, folder.folder),
    h('p', {}, 'Three questions are answered here: ',
      h('a', { href: '#/prefilter' }, 'which prefilter'), ', ', h('a', { href: '#/servers' }, 'how many servers'), ', and ',
      h('a', { href: '#/outage' }, 'open or closed'), ': by closed form at once, then by simulation. ',
      h('a', { href: '#/look' }, 'Look at a list or a log'), ' before you use it.'),
    folder.isCut && problem('The folder holds too many files to look at all of them; open one inside it.'),
    list('Scenarios', 'A scenario is one question: a list, devices, servers, and what may fail.', folder.scenarios,
      scenarioCard, 'No file here is a scenario yet.', newScenario(!folder.scenarios.length)),
    list('Results', 'What runs left, newest first. The terminal reads the same directories.', folder.results,
      resultCard, 'No results yet. Open a scenario and run it.', comparison()));
}
