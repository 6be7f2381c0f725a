// Line drawings of a few series over whole numbers, with their numbers as a table and as CSV.

import { copy, h, s } from './elements.js';

const WIDTH = 420;
const HEIGHT = 250;
const MARGIN = { left: 62, right: 14, top: 26, bottom: 38 };

/** Ticks of a logarithmic axis: powers of ten, thinned to at most six. */
function powers(low, high) {
  const every = Math.max(1, Math.ceil((high - low) / 5));
  const ticks = [];
  for (let exponent = low; exponent <= high; exponent += every) ticks.push(10 ** exponent);
  return ticks;
}

/** Ticks of a linear axis from 0: 1, 2 or 5 times a power of ten. */
function steps(high, wanted) {
  const power = 10 ** Math.floor(Math.log10(high / wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => high / size <= wanted);
  const ticks = [];
  for (let index = 0; index * step < high + step; index += 1) ticks.push(index * step);
  return ticks;
}

function axis(values, isLogarithmic) {
  if (!isLogarithmic) {
    const ticks = steps(Math.max(...values), 5);
    const high = ticks[ticks.length - 1];
    return { ticks, place: (value) => value / high };
  }
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...positive)) - 1e-9), low + 1);
  const place = (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low);
  return { ticks: powers(low, high), place };
}

/**
 * @param chart title, words, x (title), y (title), points ([x, y]), marks ({ x, y, text, style }), format, isLogarithmic
 */
export function chart({ title, words, x, y, points, marks, format, isLogarithmic }) {
  const up = axis([...points.map((point) => point[1]), ...marks.map((mark) => mark.y)], isLogarithmic);
  const first = points[0][0];
  const last = points[points.length - 1][0];
  const placeX = (value) => MARGIN.left + (value - first) / (last - first) * (WIDTH - MARGIN.left - MARGIN.right);
  const placeY = (value) => HEIGHT - MARGIN.bottom - up.place(value) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const path = points.map(([a, b], index) => `${index ? 'L' : 'M'}${placeX(a).toFixed(1)} ${placeY(b).toFixed(1)}`);
  const drawing = s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title} ${words}` },
    s('text', { x: 0, y: 12, class: 'title' }, y),
    up.ticks.map((tick) => [
      s('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: placeY(tick), y2: placeY(tick), class: 'grid' }),
      s('text', { x: MARGIN.left - 6, y: placeY(tick) + 4, 'text-anchor': 'end' }, format(tick)),
    ]),
    points.filter(([a]) => a === first || a % 4 === 0).map(([a]) =>
      s('text', { x: placeX(a), y: HEIGHT - MARGIN.bottom + 17, 'text-anchor': 'middle' }, String(a))),
    s('text', { x: WIDTH - MARGIN.right, y: HEIGHT - 3, 'text-anchor': 'end', class: 'title' }, x),
    s('path', { d: path.join(''), class: 'l0' }),
    points.map(([a, b]) => s('circle', { cx: placeX(a), cy: placeY(b), r: 2, class: 'm0' })),
    marks.map((mark) => label(mark, placeX(mark.x), placeY(mark.y))));
  return h('figure', {}, h('figcaption', {}, h('strong', {}, title), ' ', words), drawing, numbers(x, y, points, format));
}

/** A mark with its words, on the side where there is room. */
function label(mark, x, y) {
  const isRight = x > WIDTH * 0.55;
  return s('g', { class: mark.style },
    mark.style === 'chosen' ? s('circle', { cx: x, cy: y, r: 6 })
      : s('rect', { x: x - 5, y: y - 5, width: 10, height: 10, transform: `rotate(45 ${x} ${y})` }),
    s('text', { x: isRight ? x - 10 : x + 10, y: y + (mark.below ? 20 : -9), 'text-anchor': isRight ? 'end' : 'start' },
      mark.text));
}

function numbers(x, y, points, format) {
  const csv = [`"${x}","${y}"`, ...points.map((point) => point.join(','))].join('\n') + '\n';
  return h('details', {}, h('summary', {}, 'Numbers'),
    h('button', { type: 'button', click: () => copy(csv, 'CSV copied') }, 'Copy as CSV'),
    h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, x), h('th', { scope: 'col', class: 'number' }, y))),
      h('tbody', {}, points.map(([a, b]) =>
        h('tr', {}, h('td', {}, String(a)), h('td', { class: 'number' }, format(b)))))));
}
