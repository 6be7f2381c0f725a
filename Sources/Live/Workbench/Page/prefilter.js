// Knobs of a prefilter, answered by closed forms while they turn.

import { bytes, command, h, number, share } from './elements.js';
import { chart } from './chart.js';
import { amount, knobPage, tiles } from './knobs.js';
import { ask } from './server.js';

const KNOBS = {
  entries: '1000000', by: 'tolerance', tolerance: '0.001', bitCount: '', hashCount: '', devices: '20000',
  urlsPerDevice: '1500',
};

function question(state) {
  const isSized = state.by === 'size';
  return {
    entries: state.entries, hashCount: state.hashCount, devices: state.devices, urlsPerDevice: state.urlsPerDevice,
    tolerance: isSized ? null : state.tolerance,
    // A slider of an empty box stands at what Apple's tool takes for a tolerance of 0.001.
    bitCount: isSized ? state.bitCount || String(Math.ceil(14.3776 * amount(state.entries))) : null,
  };
}

export async function prefilterPage(main, name, query) {
  const scenarios = (await ask('folder')).scenarios.filter((one) => !one.problem);
  await knobPage({
    main, path: 'prefilter', query, defaults: KNOBS, title: 'Which prefilter', question,
    lead: 'A larger prefilter costs download; a smaller one costs lookups for nothing. These are closed forms, '
      + 'the same as urlfilter bloom size: no list is read and nothing is simulated.',
    draw: (found, state) => [summary(found), figures(found, state), same(found, scenarios)],
    knobs: (tools) => {
      const { state } = tools;
      const tolerance = h('div', {},
        tools.text('tolerance', 'False hits per lookup string', 'such as 0.001, 0.1% or 1/1000; Apple’s tool takes 0.001'),
        tools.slider('tolerance', 'False hits per lookup string, logarithmic', -6, -1, 0.05,
          (value) => Number((10 ** value).toPrecision(2)).toString(), (value) => Math.log10(amount(value) || 0.001)));
      const size = h('div', {},
        tools.text('bitCount', 'bitCount', 'length of the bit array; the slider is bits per entry'),
        tools.slider('bitCount', 'Bits per entry', 2, 48, 0.5,
          (value) => String(Math.ceil(value * amount(state.entries))),
          (value) => (value ? amount(value) / amount(state.entries) : 14.5)));
      const part = () => {
        tolerance.hidden = state.by === 'size';
        size.hidden = state.by !== 'size';
      };
      part();
      return [
        tools.text('entries', 'Entries of your list', 'such as 60000 or 1.2M'),
        tools.choice('by', 'What do you want to say?', [['tolerance', 'how often it errs'], ['size', 'how large it is']], part),
        tolerance, size,
        tools.text('hashCount', 'hashCount', 'probes per lookup, 1 to 64; empty: the number that fits best'),
        tools.slider('hashCount', 'hashCount, 0 for the best', 0, 24, 1,
          (value) => (value ? String(value) : ''), (value) => amount(value) || 0),
        tools.text('devices', 'Devices', 'that download each edition'),
        tools.text('urlsPerDevice', 'URLs a device checks a day', 'assumption; a run of your scenario tells'),
      ];
    },
  });
}

function summary(found) {
  const perString = found.measuredPerString ?? found.chosen.perString;
  const rows = [
    [bytes(found.chosen.bytes), `prefilter, ${number(found.bitsPerEntry)} bits per entry, ${found.chosen.hashCount} hashes`],
    [`1 in ${number(1 / found.chosen.perURL)}`, 'URLs is looked up for nothing'],
    [share(perString), 'of lookup strings hit by chance' + (found.measuredPerString ? ' (measured: the list is short)' : '')],
    found.lookupsPerDay !== undefined && [number(found.lookupsPerDay), 'lookups for nothing a day, whole fleet'],
    found.bytesPerEdition !== undefined && [bytes(found.bytesPerEdition), 'to bring one edition to every device'],
  ];
  return [h('p', { class: 'answer' }, found.sentence), tiles(rows)];
}

function figures(found, state) {
  const { chosen, usual } = found;
  // So many bits for so few entries that the chance is too small for a number.
  if (chosen.perString === 0) return null;
  const isUsual = chosen.hashCount === usual.hashCount && chosen.bitCount === usual.bitCount;
  const marks = (key) => [
    { x: chosen.hashCount, y: chosen[key], text: isUsual ? 'yours, and Apple’s tool' : 'yours', style: 'chosen' },
    ...(isUsual ? [] : [{ x: usual.hashCount, y: usual[key], text: `Apple’s tool, ${bytes(usual.bytes)}`, style: 'usual', below: true }]),
  ].filter((mark) => mark.x <= 24);
  return h('div', { class: 'figures' },
    chart({
      title: 'How often it errs.', words: `${bytes(chosen.bytes)} with other numbers of hashes.`,
      x: 'hashCount', y: 'share of URLs looked up for nothing', points: found.bySize.map((one) => [one.hashCount, one.perURL]),
      marks: marks('perURL'), format: share, isLogarithmic: true,
    }),
    chart({
      title: 'How large it is.', words: `With the same chance of a false hit, ${share(chosen.perString)} per string.`,
      x: 'hashCount', y: 'bytes', points: found.byTolerance.map((one) => [one.hashCount, one.bytes]),
      marks: marks('bytes'), format: bytes, isLogarithmic: Math.max(...found.byTolerance.map((one) => one.bytes)) > 8 * chosen.bytes,
    }));
}

function same(found, scenarios) {
  const select = h('select', { id: 'into' }, scenarios.map((one) => h('option', { value: one.path }, one.name)));
  const go = () => {
    location.hash = '#/scenario/' + encodeURIComponent(select.value) + '?' + new URLSearchParams(found.settings.map((one) => ['set', one]));
  };
  return h('section', {}, h('h2', {}, 'The same elsewhere'),
    command(found.command),
    scenarios.length > 0 && h('p', { class: 'row' }, h('label', { for: 'into' }, 'Try it in a scenario: '), select, ' ',
      h('button', { type: 'button', click: go }, 'Put it there')),
    h('p', { class: 'soft' }, `${found.settings.join(', ')}. Entries that meet the same bits, and what people open, only a run knows.`));
}
