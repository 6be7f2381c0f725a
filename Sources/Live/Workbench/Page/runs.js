// Runs under way, as they go, and results.

import { command, h, problem, say, show } from './elements.js';
import { liveFigures } from './live.js';
import { ask, listen } from './server.js';
import { note } from './library.js';
import { verdict } from './start.js';
import { timeline } from './timeline.js';

const STATES = {
  waiting: 'waits', running: 'runs', stopping: 'finishes what is under way', done: 'done', stopped: 'stopped; it can go on',
  failed: 'failed',
};

const runs = new Map();
let redraw = () => {};
/** What is told of runs, and the place that it draws: with its page it is forgotten. */
const listeners = new Map();

/** Calls for every change of a run, first for those that are known, until the place is gone; returns what ends it. */
export function onRun(place, listener) {
  prune();
  listeners.set(listener, place);
  for (const run of runs.values()) listener(run);
  return () => listeners.delete(listener);
}

function prune() {
  for (const [listener, place] of listeners) if (!place.isConnected) listeners.delete(listener);
}

export function runState(run) {
  return STATES[run.state] + (run.state === 'running' && run.share ? `, ${Math.round(run.share * 100)}\u00a0%` : '');
}

/** Listens for as long as the page is open. What it keeps is bounded by what the program keeps. */
export function watchRuns() {
  listen('runs/events', new AbortController().signal, (run) => {
    const before = runs.get(run.id)?.state;
    runs.set(run.id, run);
    while (runs.size > 100) runs.delete(runs.keys().next().value);
    if (before && before !== run.state && ['done', 'failed', 'stopped'].includes(run.state)) {
      say(`${run.title}: ${STATES[run.state]}`);
    }
    redraw();
    prune();
    for (const listener of listeners.keys()) listener(run);
  });
}

export async function runsPage(main) {
  const list = h('ul', { class: 'cards broad' });
  const cards = new Map();
  const problems = h('div');
  const act = (path, body) => ask(path, body).catch((error) => show(problems, problem(error.message)));
  runs.clear();
  for (const run of await ask('runs')) runs.set(run.id, run);
  redraw = () => {
    if (!list.isConnected && cards.size) { redraw = () => {}; return; }
    for (const run of runs.values()) {
      if (!cards.has(run.id)) {
        cards.set(run.id, card(run, act));
        list.prepend(cards.get(run.id).element);
      }
      cards.get(run.id).update(run);
    }
    empty.hidden = runs.size > 0;
  };
  const empty = h('p', {}, 'Nothing was started from this page. Open a scenario in the ', h('a', { href: '#/' }, 'folder'), ' and run it.');
  show(main, h('h1', {}, 'Runs'),
    h('p', { class: 'soft' }, 'One after the other, because each takes all cores. Each replication is kept as it ends: what is stopped goes on later.'),
    problems, empty, list);
  redraw();
}

function card(run, act) {
  const state = h('span', { class: 'badge' });
  const bar = h('progress', { max: 1, 'aria-label': `how far ${run.title} is` });
  const line = h('p', { class: 'soft file' });
  const result = '#/result/' + encodeURIComponent(run.result);
  const look = h('a', { href: result }, 'Result');
  const stop = h('button', { type: 'button', click: () => act('runs/stop', { id: run.id }) }, 'Stop');
  const figures = h('div');
  const live = h('details', { toggle: () => {
    forget();
    if (live.open) forget = liveFigures(figures, run.result, () => {}, run); else figures.replaceChildren();
  } }, h('summary', {}, 'Figures so far'), figures);
  let forget = () => {};
  const on = h('button', { type: 'button', click: () => act('runs/resume', { path: run.result }) }, 'Go on');
  return {
    element: h('li', { class: 'card' }, h('h2', {}, run.title), h('p', { class: 'row' }, state, look, stop, on), bar, line, live,
      h('details', {}, h('summary', {}, 'In the terminal'), command(run.command))),
    update(now) {
      state.textContent = STATES[now.state] + (now.state === 'failed' ? ` (exit code ${now.code})` : '');
      state.className = 'badge ' + ({ done: 'pass', failed: 'fail' }[now.state] ?? 'open');
      const isUnderWay = now.code === undefined || now.code === null;
      if (now.share === undefined) bar.removeAttribute('value'); else bar.value = now.share;
      live.hidden = now.state === 'waiting';
      bar.hidden = !isUnderWay || now.state === 'waiting';
      look.hidden = now.state !== 'done';
      stop.hidden = !isUnderWay;
      stop.textContent = now.state === 'stopping' ? 'Stop at once' : 'Stop';
      on.hidden = now.state !== 'stopped' || [...runs.values()].some((one) => one.id > now.id && one.result === now.result);
      line.textContent = now.line;
    },
  };
}

export async function resultPage(main, path) {
  show(main, h('h1', {}, 'Reading the result …'));
  const problems = h('div');
  let result;
  try {
    result = await ask('result', { path });
  } catch (error) {
    const go = h('button', { type: 'button', click: () => ask('runs/resume', { path })
      .then(() => { location.hash = '#/runs'; }, (again) => show(problems, problem(again.message))) }, 'Go on with the run');
    show(main, h('h1', {}, path), problem(error.message, h('p', {}, 'If the run was stopped before its first result, it can go on. ', go)), problems);
    return;
  }
  const [{ ticket }, folder] = await Promise.all([ask('ticket', { path }), ask('folder')]);
  const [figures, slow] = [h('div'), h('div')];
  const frame = h('iframe', { title: `Report of ${result.name}`, src: '/report/' + ticket, sandbox: 'allow-scripts' });
  show(main,
    h('h1', {}, result.name),
    h('p', { class: 'soft file' }, path, ' ', !result.isFinished && verdict({ state: 'unfinished' })),
    h('details', {}, h('summary', {}, 'As the terminal says it'), h('pre', {}, result.text)),
    result.command && command(result.command),
    note(path, folder.results.find((one) => one.path === path) ?? {}),
    h('details', { toggle: (event) => { if (event.target.open) liveFigures(figures, path); else figures.replaceChildren(); } },
      h('summary', {}, 'Figures with their numbers'), figures),
    h('details', { toggle: (event) => { if (event.target.open) timeline(slow, path); else slow.replaceChildren(); } },
      h('summary', {}, 'Slow lookups'), slow),
    frame);
}
