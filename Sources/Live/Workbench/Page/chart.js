// Line drawings of a few series, with their numbers as a table and as CSV.

import { copy, download, h, s } from './elements.js';

const WIDTH = 420;
const HEIGHT = 250;
const MARGIN = { left: 62, right: 14, top: 26, bottom: 38 };

/** Powers of ten, thinned to at most six. */
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
  for (let index = 0; index * step < high + step * 0.999; index += 1) ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}

/** An axis of given ticks: `place` says where between 0 and 1 a value stands. */
function axis(values, { isLogarithmic, ticks: given, most = Infinity }) {
  const shown = values.filter((value) => Number.isFinite(value)).map((value) => Math.min(value, most));
  if (given) {
    const scale = isLogarithmic ? Math.log : (value) => value;
    // What lies beyond the outermost ticks is in the figure too.
    const seen = [...given, ...shown.filter((value) => !isLogarithmic || value > 0)];
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    return { ticks: given, place: (value) => (scale(value) - scale(low)) / (scale(high) - scale(low)) };
  }
  if (!isLogarithmic) {
    const ticks = steps(Math.max(...shown, 1e-9), 5);
    const high = ticks[ticks.length - 1];
    return { ticks, place: (value) => Math.min(value, high) / high };
  }
  const positive = shown.filter((value) => value > 0);
  if (!positive.length) return axis([1], {});
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...positive)) - 1e-9), low + 1);
  const place = (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low);
  return { ticks: powers(low, high), place };
}

/** Parts of a line between which nothing is known. */
function parts(points) {
  const found = [[]];
  for (const point of points) {
    if (Number.isFinite(point[1])) found[found.length - 1].push(point);
    else if (found[found.length - 1].length) found.push([]);
  }
  return found.filter((part) => part.length);
}

/**
 * @param chart title, words, x and y (titles); series: [{ name, points: [[x, y, low, high]] }] with null for what is not
 * known, or `points` for one without a name; marks: [{ x, y, text, style, below }]; limit: { y, text };
 * format and formatX; isLogarithmic, isLogX, ticksX; dots
 */
export function chart(given) {
  const { title, words, x, y, marks = [], format, limit } = given;
  const formatX = given.formatX ?? String;
  const series = given.series ?? [{ name: '', points: given.points }];
  const all = series.flatMap((one) => one.points);
  const up = axis([...all.flatMap((point) => [point[1], point[3] ?? point[1]]), ...marks.map((mark) => mark.y),
    ...(limit ? [limit.y] : [])], { isLogarithmic: given.isLogarithmic });
  const values = all.map((point) => point[0]);
  const across = axis(values, { isLogarithmic: given.isLogX,
    ticks: given.ticksX ?? [Math.min(...values), Math.max(...values) + (values.length > 1 ? 0 : 1)] });
  const placeX = (value) => MARGIN.left + across.place(value) * (WIDTH - MARGIN.left - MARGIN.right);
  const placeY = (value) => HEIGHT - MARGIN.bottom - Math.min(1.02, up.place(value)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const line = (points, column = 1) => points.map((point, index) =>
    `${index ? 'L' : 'M'}${placeX(point[0]).toFixed(1)} ${placeY(point[column]).toFixed(1)}`).join('');
  const ticks = given.ticksX ?? [...new Set(values)].filter((value) => value === values[0] || value % 4 === 0);
  const drawing = s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title} ${words ?? ''}` },
    s('text', { x: 0, y: 12, class: 'title' }, y),
    up.ticks.map((tick) => [
      s('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: placeY(tick), y2: placeY(tick), class: 'grid' }),
      s('text', { x: MARGIN.left - 6, y: placeY(tick) + 4, 'text-anchor': 'end' }, format(tick)),
    ]),
    ticks.map((tick, index) => s('text', { x: placeX(tick), y: HEIGHT - MARGIN.bottom + 17,
      'text-anchor': index && index === ticks.length - 1 && given.ticksX ? 'end' : 'middle' }, formatX(tick))),
    s('text', { x: WIDTH - MARGIN.right, y: HEIGHT - 3, 'text-anchor': 'end', class: 'title' }, x),
    limit && [s('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: placeY(limit.y), y2: placeY(limit.y), class: 'limit' }),
      s('text', { x: MARGIN.left + 4, y: placeY(limit.y) + (up.place(limit.y) > 0.9 ? 14 : -5), class: 'title' }, limit.text)],
    series.map(({ points, style }, number) => parts(points).map((part) => {
      const band = part.filter((point) => Number.isFinite(point[2]) && Number.isFinite(point[3]));
      const name = style ?? number;
      return [
        band.length > 1 && s('path', { class: `b${name}`, d: `${line(band, 3)}L${line([...band].reverse(), 2).slice(1)}Z` }),
        band.length === 1 && s('line', { class: `l${name}`, x1: placeX(band[0][0]), x2: placeX(band[0][0]), y1: placeY(band[0][2]), y2: placeY(band[0][3]) }),
        s('path', { d: line(part), class: `l${name}` }),
        (part.length === 1 || (given.dots ?? points.length <= 40)) && part.map((point) => dot(number, placeX(point[0]), placeY(point[1]), name)),
      ];
    })),
    marks.map((mark) => label(mark, placeX(mark.x), placeY(mark.y))));
  return h('figure', {}, h('figcaption', {}, h('strong', {}, title), ' ', words,
    series.length > 1 && h('ul', { class: 'legend' }, series.map(({ name, style }, number) => h('li', {}, key(style ?? number, number), name)))),
  drawing, numbers({ title, x, y, series, format, formatX }));
}

/** A point of a line; lines differ in shape, too. */
function dot(number, x, y, name) {
  if (number % 3 === 1) return s('rect', { x: x - 2.5, y: y - 2.5, width: 5, height: 5, class: `m${name}` });
  if (number % 3 === 2) return s('path', { d: `M${x - 3.5} ${y + 3}h7l-3.5 -6Z`, class: `m${name}` });
  return s('circle', { cx: x, cy: y, r: 2.2, class: `m${name}` });
}

function key(name, number) {
  return s('svg', { viewBox: '0 0 24 10', class: 'key', 'aria-hidden': 'true' },
    s('path', { d: 'M0 5H24', class: `l${name}` }), dot(number, 12, 5, name));
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

/** A text as a cell of CSV; one that a table program would take for a formula is a text there, too. */
function cell(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const text = value ?? '';
  return `"${(/^[=+\-@\t\r]/.test(text) ? "'" : '') + text.replaceAll('"', '""')}"`;
}

export function csvOf(rows) {
  return rows.map((row) => row.map(cell).join(',')).join('\n') + '\n';
}

/** Buttons for the numbers of a figure. */
export function csvButtons(title, csv) {
  const file = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') + '.csv';
  return h('p', { class: 'row' },
    h('button', { type: 'button', 'aria-label': `Copy ${title} as CSV`, click: () => copy(csv(), 'CSV copied') }, 'Copy as CSV'),
    h('button', { type: 'button', 'aria-label': `Save ${title} as CSV`, click: () => download(file, csv(), 'text/csv') }, 'Save as CSV'));
}

function numbers({ title, x, y, series, format, formatX }) {
  const isBanded = series.some(({ points }) => points.some((point) => Number.isFinite(point[2])));
  const names = series.flatMap(({ name }) => [name ? `${y}, ${name}` : y, ...(isBanded ? ['from', 'to'] : [])]);
  const places = [...new Set(series.flatMap(({ points }) => points.map((point) => point[0])))].sort((a, b) => a - b);
  const rows = places.map((place) => [place, ...series.flatMap(({ points }) => {
    const point = points.find((one) => one[0] === place) ?? [];
    return [point[1] ?? null, ...(isBanded ? [point[2] ?? null, point[3] ?? null] : [])];
  })]);
  const table = h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': `Numbers of ${title}` });
  const fill = () => {
    if (!table.firstChild) {
      table.append(h('table', {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, x), names.map((name) => h('th', { scope: 'col', class: 'number' }, name)))),
        h('tbody', {}, rows.map(([place, ...cells]) => h('tr', {}, h('td', {}, formatX(place)),
          cells.map((value) => h('td', { class: 'number' }, Number.isFinite(value) ? format(value) : '–')))))));
    }
  };
  return h('details', { toggle: fill }, h('summary', {}, h('span', { class: 'hidden' }, `${title} `), 'Numbers'),
    csvButtons(title, () => csvOf([[x, ...names], ...rows])), table);
}
