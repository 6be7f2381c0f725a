// Figures of a run while it goes: what its replications have said so far.

import { chart } from './chart.js';
import { count, h, number, s, seconds, share, show } from './elements.js';
import { onRun } from './runs.js';
import { ask } from './server.js';

/** Least time between two looks at a run. */
const PAUSE = 700;
const PARTS = [['gateway', 'Gateway'], ['issuer', 'Issuer'], ['pir', 'PIR servers']];

/**
 * Draws a run's figures into a place, again whenever a replication has ended, until the place is gone.
 *
 * @param told gets the points and the run's state each time
 */
export function liveFigures(place, path, told = () => {}, run = undefined, metrics = []) {
  let now = run;
  let last = 0;
  let timer = 0;
  let drawn = '';
  async function look() {
    timer = 0;
    last = Date.now();
    if (!place.isConnected) return forget();
    try {
      const { points } = await ask('glance', { path, metrics });
      told(points, now);
      const sign = points.map((point) => point.replications).join();
      if (points.length && sign !== drawn) {
        drawn = sign;
        show(place, figures(points, now));
      }
    } catch { /* the next replication asks again */ }
    return undefined;
  }
  function soon() {
    if (!timer) timer = setTimeout(look, Math.max(0, last + PAUSE - Date.now()));
  }
  const leave = onRun(place, (event) => {
    if (event.result !== path || (now && event.id < now.id)) return;
    now = event;
    soon();
  });
  function forget() {
    leave();
    clearTimeout(timer);
  }
  soon();
  return forget;
}

/** What points are called: by what the command varies, in its order. */
function names(points, run) {
  const varied = /--vary '?filter\.shouldFailClosed=false,true/.test(run?.command ?? '');
  return points.map((point, index) => (varied ? ['fails open', 'fails closed'][index] : points.length > 1 ? `point ${point.number + 1}` : ''));
}

export function figures(points, run) {
  const titles = names(points, run);
  const latency = points.map((point, index) => ({ name: titles[index],
    points: point.latency.map((one) => [1 / (1 - one.x), one.y, one.low, one.high]) })).filter((one) => one.points.length);
  const drawings = [];
  if (latency.length) {
    drawings.push(chart({ title: 'How long people wait', words: 'for an answer; the band is where the mean of many replications lies.',
      x: 'share of the answers', y: 'within', series: latency, format: seconds, isLogX: true, isLogarithmic: true,
      ticksX: [2, 10, 100, 1000].filter((tick, index) => index < 2 || latency.some((one) => one.points.some((point) => point[0] >= tick * 0.9))),
      formatX: (value) => `${number(100 - 100 / value)}\u00a0%` }));
  }
  return h('div', {}, points.length > 0 && loads(points[0]), h('div', { class: 'figures' }, drawings, points.map((point, index) => harm(point, titles[index]))));
}

/** Harm over time; nothing where nothing went wrong. */
function harm(point, name) {
  const rows = [['listed, let through', 'leaked'], ['wrongly blocked', 'falselyBlocked'], ['lookups that fail', 'failures']]
    .filter(([, key]) => point.series.some((one) => one[key] > 0));
  if (!point.series.length) return null;
  if (!rows.length) return h('p', { class: 'soft' }, `${name ? name + ': ' : ''}no harm so far in ${count(point.replications)} replications.`);
  return chart({ title: `What goes wrong, when${name ? `: ${name}` : ''}`, words: 'Mean of the replications so far.', x: 'hour of the run', y: 'in an interval',
    series: rows.map(([words, key]) => ({ name: words, points: point.series.map((one) => [one.start / 3600, one[key]]) })),
    format: number, ticksX: hours(point.series), formatX: (value) => number(value), dots: false });
}

function hours(series) {
  const [first, last] = [series[0].start / 3600, series[series.length - 1].start / 3600];
  return last > first ? [0, 1, 2, 3, 4].map((step) => Number((first + (last - first) * step / 4).toFixed(2))) : [first, first + 1];
}

/** Load and queue of each part, on a map of the way that a lookup takes. */
function loads(point) {
  const value = (name, statistic) => point.metrics.find((one) => one.name === name && one.statistic === statistic);
  const boxes = [['devices', 'Devices'], ['relay', 'Apple’s relay'], ...PARTS].map(([name, title]) => ({ title,
    mean: value(`${name}.utilization`, 'mean'), most: value(`${name}.utilization`, 'max'), queue: value(`${name}.queue`, 'mean') }));
  if (!boxes.some((box) => box.mean)) return null;
  const places = [[0, 45, 66], [82, 45, 94], [192, 45, 92], [304, 0, 112], [304, 90, 112]];
  const words = boxes.filter((box) => box.mean).map((box) => `${box.title}: ${busy(box.mean.mean)} busy`
    + (box.most ? `, ${busy(box.most.mean)} in the busiest interval` : '') + (box.queue ? `, ${waiting(box.queue.mean)} waiting` : '')).join('; ');
  return h('figure', {}, h('figcaption', {}, h('strong', {}, 'Load and queue of each part'), ' mean of the replications so far. ', words, '.'),
    s('svg', { viewBox: '0 0 416 150', role: 'img', class: 'map', 'aria-label': words },
      [[66, 70, 82, 70], [176, 70, 192, 70], [284, 70, 304, 25], [284, 70, 304, 115]].map(([x1, y1, x2, y2]) => s('line', { x1, y1, x2, y2, class: 'way' })),
      boxes.map((box, index) => {
        const [x, y, width] = places[index];
        return s('g', {}, s('rect', { x, y, width, height: 50, class: 'part' }),
          box.mean && s('rect', { x, y: y + 50 - 50 * Math.min(1, box.mean.mean), width, height: 50 * Math.min(1, box.mean.mean), class: 'load' }),
          s('text', { x: x + width / 2, y: y + 20, 'text-anchor': 'middle' }, box.title),
          box.mean && s('text', { x: x + width / 2, y: y + 38, 'text-anchor': 'middle', class: 'title' },
            busy(box.mean.mean) + (box.queue?.mean >= 0.005 ? `, ${waiting(box.queue.mean)} wait` : '')));
      })));
}

/** What is so little that nobody plans by it is said as little. */
function busy(value) {
  return value > 0 && value < 1e-4 ? '<\u00a00.01\u00a0%' : share(value);
}

function waiting(value) {
  return value < 0.005 ? '0' : number(value);
}
