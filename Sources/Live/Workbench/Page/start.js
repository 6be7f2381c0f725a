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
  return h('li', { class: 'card' },
    h('a', { href: '#/result/' + encodeURIComponent(one.path) }, one.name),
    h('p', {}, verdict(one), one.points > 1 && ` ${count(one.points)} points`),
    h('p', { class: 'soft file' }, `${one.path} · ${date(one.date)}`),
    one.problem && h('p', { class: 'bad' }, one.problem));
}

function list(title, words, items, card, empty) {
  const name = title.toLowerCase();
  const box = h('input', { type: 'search', id: 'search-' + name, placeholder: 'name, file or verdict' });
  const cards = items.map((item) => [card(item), JSON.stringify(item).toLowerCase()]);
  box.addEventListener('input', () => {
    for (const [element, text] of cards) element.hidden = !text.includes(box.value.toLowerCase());
  });
  return h('section', { 'aria-labelledby': 'title-' + name },
    h('h2', { id: 'title-' + name }, title, h('span', { class: 'soft' }, ` ${count(items.length)}`)),
    h('p', { class: 'soft' }, words),
    items.length > 6 && h('p', {}, h('label', { for: box.id }, 'Filter '), box),
    items.length ? h('ul', { class: 'cards' }, cards.map(([element]) => element)) : h('p', {}, empty));
}

export async function startPage(main) {
  show(main, h('h1', {}, 'Reading the folder …'));
  const folder = await ask('folder');
  show(main,
    h('h1', {}, folder.folder.split('/').pop() || folder.folder),
    h('p', { class: 'soft file' }, folder.folder),
    h('p', {}, 'Three questions are answered here: ',
      h('a', { href: '#/prefilter' }, 'which prefilter'),
      ', by closed form at once; how many servers, and open or closed, by running a scenario.'),
    folder.isCut && problem('The folder holds too many files to look at all of them; open one inside it.'),
    list('Scenarios', 'A scenario is one question: a list, devices, servers, and what may fail.', folder.scenarios,
      scenarioCard, 'No file here is a scenario. urlfilter help scenarios shows how one begins.'),
    list('Results', 'What runs left, newest first. The terminal reads the same directories.', folder.results,
      resultCard, 'No results yet. Open a scenario and run it.'));
}
