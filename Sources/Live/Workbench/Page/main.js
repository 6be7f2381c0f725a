// Pages by what stands behind # in the address.

import { h, problem, show } from './elements.js';
import { openSession } from './server.js';
import { startPage } from './start.js';
import { scenarioPage } from './scenario.js';
import { prefilterPage } from './prefilter.js';
import { serversPage } from './servers.js';
import { outagePage } from './outage.js';
import { comparePage } from './library.js';
import { lookPage } from './look.js';
import { resultPage, runsPage, watchRuns } from './runs.js';

const PAGES = [
  ['/', 'Folder', startPage],
  ['/prefilter', 'Which prefilter', prefilterPage],
  ['/servers', 'How many servers', serversPage],
  ['/outage', 'Open or closed', outagePage],
  ['/look', 'List or log', lookPage],
  ['/runs', 'Runs', runsPage],
  ['/compare', null, comparePage],
  ['/scenario/', null, scenarioPage],
  ['/result/', null, resultPage],
];

const main = document.getElementById('main');
let leave = () => true;
let current = '';
let isFirst = true;

function address() {
  const [path, query = ''] = location.hash.replace(/^#/, '').split('?', 2);
  return { path: path || '/', query: new URLSearchParams(query) };
}

function find(path) {
  return PAGES.find(([prefix]) => (prefix.endsWith('/') && prefix !== '/' ? path.startsWith(prefix) : path === prefix));
}

async function go() {
  if (location.hash === '#main') {
    history.replaceState(null, '', current || '#/');
    return main.focus();
  }
  if (location.hash === current) return undefined;
  if (!leave()) {
    history.replaceState(null, '', current);
    return undefined;
  }
  current = location.hash;
  leave = () => true;
  const { path, query } = address();
  const page = find(path);
  const links = PAGES.filter(([, title]) => title).map(([prefix, title]) =>
    h('a', { href: '#' + prefix, 'aria-current': page && page[0] === prefix ? 'page' : null }, title));
  show(document.getElementById('pages'), links);
  // A place of its own: a page whose answers come after another was opened draws where nobody looks.
  const place = h('div');
  show(main, place);
  let guard;
  try {
    if (!page) throw new Error(`there is no page ${path}`);
    const name = page[0].length > 1 && page[0].endsWith('/') ? decodeURIComponent(path.slice(page[0].length)) : '';
    guard = await page[2](place, name, query);
  } catch (error) {
    show(place, h('h1', {}, 'That did not work'), problem(error.message));
  }
  if (!place.isConnected) return undefined;
  leave = guard ?? leave;
  const title = main.querySelector('h1');
  document.title = (title ? title.textContent + ' · ' : '') + 'URL Filter Workbench';
  if (!isFirst && title) {
    title.tabIndex = -1;
    title.focus();
  }
  isFirst = false;
  return undefined;
}

addEventListener('hashchange', go);
addEventListener('beforeunload', (event) => { if (!leave(true)) event.preventDefault(); });
try {
  await openSession();
  watchRuns();
} catch (error) {
  show(main, h('h1', {}, 'This address is closed'), problem(error.message));
}
if (!main.querySelector('.problem')) go();
