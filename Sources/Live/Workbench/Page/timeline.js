// Slow lookups of a run: where the time of each went, and what happened around it at devices, parts and instances.

import { csvButtons, csvOf } from './chart.js';
import { count, h, problem, s, seconds, share, show } from './elements.js';
import { ask } from './server.js';
import { readTrace } from './trace.js';

const MOST_BARS = 24;
const MOST_ROWS = 50;
const MOST_TRACKS = 30;
const WIDTH = 720;
const LEFT = 150;
const ROW = 18;

/** Moment of a run: 08:15:30.250, with the day in front from the second one on. */
function moment(time) {
  const day = Math.floor(time / 86400);
  const text = new Date((time - day * 86400) * 1000).toISOString().slice(11, 23);
  return day ? `day ${day + 1}, ${text}` : text;
}

/** Draws the lookups that a run recorded, if it did. */
export async function timeline(place, path) {
  show(place, h('p', {}, 'Reading …'));
  let trace;
  try {
    trace = readTrace(await ask('timeline', { path }));
  } catch (error) {
    return show(place, problem(error.message));
  }
  const { lookups } = trace;
  const words = h('input', { type: 'search', id: 'timeline-words', placeholder: 'device 12, failed, waits at pir' });
  const least = h('input', { id: 'timeline-least', inputmode: 'decimal', size: 6, placeholder: '0' });
  const served = choice('timeline-served', 'all parts', lookups.flatMap((one) => one.served));
  const most = choice('timeline-most', 'anything', lookups.map((one) => one.most));
  const shown = h('div', { 'aria-live': 'polite' });
  const around = h('div');
  const draw = () => {
    const low = Number(least.value.replace(',', '.')) / 1000 || 0;
    const found = lookups.filter((one) => one.took >= low
      && (!served.value || one.served.includes(served.value) || one.served.some((name) => name.startsWith(served.value + ',')))
      && (!most.value || one.most === most.value) && text(one).includes(words.value.toLowerCase()));
    show(around);
    show(shown, found.length ? [bars(found), table(found, path, (one) => {
      show(around, neighbours(trace, one));
      around.querySelector('h2').focus();
    })] : h('p', {}, 'No lookup is like that.'));
  };
  for (const control of [words, least, served, most]) control.addEventListener('input', draw);
  show(place,
    h('p', { class: 'soft' }, `${count(lookups.length)} lookups of the first replication: its slowest, and a sample of all. `,
      'ui.perfetto.dev shows the same file, timeline.json.'),
    h('form', { class: 'row', 'aria-label': 'Which lookups', submit: (event) => event.preventDefault() },
      [['words', words], ['at least, ms', least], ['served by', served], ['most of it', most]].map(([name, control]) =>
        h('span', { class: 'pair' }, h('label', { for: control.id }, name), control))),
    shown, around);
  return draw();
}

function text(one) {
  return `${one.device} ${one.outcome} ${one.served.join(' ')} ${[...one.shares.keys()].join(' ')}`.toLowerCase();
}

/** Names to choose from; a part stands for all of its instances. */
function choice(id, all, names) {
  const known = new Set(names);
  for (const name of names) if (name.includes(', instance')) known.add(name.split(', ')[0]);
  return h('select', { id }, h('option', { value: '' }, all), [...known].sort().map((name) => h('option', { value: name }, name)));
}

/** Steps as bars: the way is a line, waiting is low, work is high and says where. */
function step({ kind, name, from, to }, x, y, scale) {
  const [high, top] = { way: [2, 7], wait: [6, 5], work: [12, 2] }[kind];
  return s('rect', { x: x + from * scale, y: y + top, width: Math.max(0.6, (to - from) * scale), height: high, class: kind },
    s('title', {}, `${name}: ${seconds(to - from)}`));
}

function scaleLine(longest, scale, rows) {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => [
    s('line', { x1: LEFT + part * longest * scale, x2: LEFT + part * longest * scale, y1: 0, y2: rows * ROW, class: 'grid' }),
    s('text', { x: LEFT + part * longest * scale, y: rows * ROW + 14, 'text-anchor': part === 1 ? 'end' : part ? 'middle' : 'start' }, seconds(part * longest))]);
}

function legend() {
  const sign = (kind) => s('svg', { viewBox: '0 0 24 16', class: 'key timeline', 'aria-hidden': 'true' }, step({ kind, name: '', from: 0, to: 1 }, 0, 0, 24));
  return h('ul', { class: 'legend' }, [['way', 'on the way'], ['wait', 'waits'], ['work', 'is worked on']].map(([kind, words]) => h('li', {}, sign(kind), words)));
}

/** Where the time of each lookup went, all from their beginnings. */
function bars(found) {
  const drawn = found.slice(0, MOST_BARS);
  const longest = drawn[0].took || 1;
  const scale = (WIDTH - LEFT - 4) / longest;
  const title = found.length > drawn.length ? `The slowest ${count(drawn.length)} of ${count(found.length)}` : `${count(found.length)} ${found.length === 1 ? 'lookup' : 'lookups'}`;
  return h('figure', {}, h('figcaption', {}, h('strong', {}, 'Where the time went.'), ` ${title}, each from its beginning. `, legend()),
    h('div', { class: 'wide tracks', tabindex: 0, role: 'region', 'aria-label': 'Where the time went' },
      s('svg', { viewBox: `0 0 ${WIDTH} ${drawn.length * ROW + 20}`, role: 'img', class: 'timeline',
        'aria-label': `${title}, from ${seconds(drawn[drawn.length - 1].took)} to ${seconds(longest)}; the table below has the same` },
      scaleLine(longest, scale, drawn.length),
      drawn.map((one, index) => s('g', {},
        s('text', { x: 0, y: index * ROW + 13 }, `${one.device}, ${one.outcome.split(':')[0]}`.slice(0, 24)),
        s('rect', { x: LEFT, y: index * ROW + 2, width: Math.max(0.6, one.took * scale), height: 12, class: 'whole' }),
        one.steps.map((part) => step(part, LEFT, index * ROW, scale)))))));
}

function table(found, path, look) {
  const names = [...new Set(found.flatMap((one) => [...one.shares.keys()]))].sort();
  const csv = () => csvOf([['device', 'begins', 'seconds', 'outcome', 'keywords', 'requests', ...names.map((name) => `seconds, ${name}`), 'served by'],
    ...found.map((one) => [one.device, one.from, one.took, one.outcome, one.keywords, one.requests, ...names.map((name) => one.shares.get(name) ?? 0), one.served.join('; ')])]);
  const heads = ['device', 'begins', 'takes', 'outcome', 'requests', 'most of it', 'around it'];
  return h('div', {}, csvButtons('slow lookups', csv),
    h('div', { class: 'wide high', tabindex: 0, role: 'region', 'aria-label': 'Slow lookups' },
      h('table', {}, h('thead', {}, h('tr', {}, heads.map((head, index) => h('th', { scope: 'col', class: index === 2 || index === 4 ? 'number' : null }, head)))),
        h('tbody', {}, found.slice(0, MOST_ROWS).map((one) => h('tr', {}, h('th', { scope: 'row' }, one.device), h('td', {}, moment(one.from)),
          h('td', { class: 'number' }, seconds(one.took)), h('td', {}, one.outcome), h('td', { class: 'number' }, one.requests),
          h('td', {}, `${one.most}, ${share(one.mostShare)}`),
          h('td', {}, h('button', { type: 'button', class: 'quiet', 'aria-label': `What happened around the lookup of ${one.device} at ${moment(one.from)}`, click: () => look(one) }, 'show'))))))),
    found.length > MOST_ROWS && h('p', { class: 'soft' }, `${count(found.length - MOST_ROWS)} more are in the CSV.`));
}

/** Devices, parts and instances while a lookup was under way. */
function neighbours({ tracks, instants, counters }, one) {
  const margin = (one.to - one.from) * 0.1;
  const [from, to] = [Math.max(0, one.from - margin), one.to + margin];
  const during = (slice) => slice.from < to && slice.to > from;
  const found = tracks.map((track) => ({ ...track, slices: track.slices.filter(during) })).filter((track) => track.slices.length);
  const own = (track) => (track.part === 'devices' ? (track.name === one.device ? 0 : 2) : 1);
  found.sort((a, b) => own(a) - own(b) || a.part.localeCompare(b.part) || a.name.localeCompare(b.name, undefined, { numeric: true }));
  const drawn = found.slice(0, MOST_TRACKS);
  const scale = (WIDTH - LEFT - 4) / (to - from || 1);
  const named = ({ part, name }) => (part === 'devices' || part === 'faults' ? name : `${part}, ${name}`);
  const happened = instants.filter((instant) => instant.from >= from && instant.from <= to);
  const rows = [...drawn.flatMap((track) => track.slices.map((slice) => [slice.from, named(track), slice.name, slice.to - slice.from])),
    ...happened.map((instant) => [instant.from, instant.part, instant.name, undefined])].sort((a, b) => a[0] - b[0]);
  return h('section', { 'aria-labelledby': 'around-title' },
    h('h2', { id: 'around-title', tabindex: -1 }, `Around ${one.device}, ${moment(one.from)}, ${seconds(one.took)}`),
    state(counters, one.from),
    found.length > drawn.length && h('p', { class: 'soft' }, `${count(drawn.length)} of ${count(found.length)} tracks are drawn.`),
    h('div', { class: 'wide tracks', tabindex: 0, role: 'region', 'aria-label': 'Tracks' },
      s('svg', { viewBox: `0 0 ${WIDTH} ${drawn.length * ROW + 20}`, role: 'img', class: 'timeline', 'aria-label': `${drawn.length} tracks; the table below has the same` },
        scaleLine(to - from, scale, drawn.length),
        drawn.map((track, index) => s('g', {}, s('text', { x: 0, y: index * ROW + 13, class: own(track) ? null : 'mine' }, named(track).slice(0, 24)),
          track.slices.map((slice) => step({ kind: kindOf(track, slice), name: slice.name,
            from: Math.max(slice.from, from) - from, to: Math.min(slice.to, to) - from }, LEFT, index * ROW, scale)))),
        happened.map((instant) => s('line', { x1: LEFT + (instant.from - from) * scale, x2: LEFT + (instant.from - from) * scale, y1: 0, y2: drawn.length * ROW, class: 'limit' },
          s('title', {}, instant.name))))),
    h('details', {}, h('summary', {}, h('span', { class: 'hidden' }, 'Tracks '), 'Numbers'),
      csvButtons('tracks', () => csvOf([['seconds', 'where', 'what', 'lasts seconds'], ...rows])),
      h('div', { class: 'wide high', tabindex: 0, role: 'region', 'aria-label': 'Numbers of the tracks' }, h('table', {},
        h('thead', {}, h('tr', {}, ['when', 'where', 'what', 'lasts'].map((head, index) => h('th', { scope: 'col', class: index === 3 ? 'number' : null }, head)))),
        h('tbody', {}, rows.slice(0, 500).map(([time, where, what, lasts]) => h('tr', {}, h('td', {}, moment(time)), h('td', {}, where), h('td', {}, what),
          h('td', { class: 'number' }, lasts === undefined ? '–' : seconds(lasts)))))))));
}

function kindOf(track, { name, depth }) {
  if (track.part !== 'devices') return 'work';
  if (name.startsWith('waits ')) return 'wait';
  return depth > 1 ? 'work' : 'way';
}

/** Busy servers, queue and instances of each part, as they were when a lookup began. */
function state(counters, time) {
  const last = new Map();
  for (const one of counters) {
    if (one.from > time) continue;
    const values = last.get(one.part) ?? new Map();
    values.set(one.name, one.value);
    last.set(one.part, values);
  }
  if (!last.size) return null;
  return h('p', {}, 'When it began: ', [...last].map(([part, values]) =>
    `${part} ${count(values.get('busy') ?? 0)} busy, ${count(values.get('queue') ?? 0)} waiting, ${count(values.get('instances') ?? 0)} ${values.get('instances') === 1 ? 'instance' : 'instances'}`).join('; '), '.');
}
