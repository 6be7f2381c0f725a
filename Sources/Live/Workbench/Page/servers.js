// How many servers: load, wait and money, with an instance or a region gone.

import { command, count, h, number, problem, seconds, share } from './elements.js';
import { chart } from './chart.js';
import { amount, confirmation, knobPage, measured, tiles } from './knobs.js';
import { ask } from './server.js';

const KNOBS = {
  devices: '20000', lookups: '120', peak: '4', pir: '5ms', gateway: '0.3ms', way: '250ms', limit: '800ms', regions: '1',
  detour: '120ms', spare: '1', survives: 'no', utilization: '60%', prices: 'large-cloud',
};

function question(state) {
  const { survives, ...rest } = state;
  return { ...rest, survivesRegion: survives === 'yes' };
}

export async function serversPage(main, name, query) {
  const folder = await ask('folder');
  await knobPage({
    main, path: 'servers', query, defaults: KNOBS, title: 'How many servers', question, draw,
    lead: 'More servers cost money; fewer make people wait, or fail when one is gone. Closed forms: the planner of urlfilter capacity, '
      + 'with the rates that you type in place of a simulated sample.',
    knobs: (tools) => [
      measured(folder, 'servers', tools),
      tools.text('devices', 'Devices', 'such as 20000 or 1.2M'),
      tools.slider('devices', 'Devices, logarithmic', 2, 8, 0.05, (value) => String(Number((10 ** value).toPrecision(2))), (text) => Math.log10(amount(text) || 1)),
      tools.text('lookups', 'Lookups of a device a day', 'assumption: a school day with a fitting prefilter; a run tells'),
      tools.slider('lookups', 'Lookups of a device a day, logarithmic', 0, 4, 0.05, (value) => String(Number((10 ** value).toPrecision(2))), (text) => Math.log10(amount(text) || 1)),
      tools.text('peak', 'Busiest five minutes over the mean', 'assumption: 4 for a school, 2 for people at home'),
      tools.text('limit', '99 of 100 lookups within', 'what you promise; a device gives up after 3 s'),
      tools.choice('prices', 'Prices of', [['large-cloud', 'large cloud'], ['small-hoster', 'small hoster'], ['own-hardware', 'own machines']]),
      tools.choice('regions', 'Regions', [['1', '1'], ['2', '2'], ['3', '3'], ['4', '4']]),
      tools.choice('survives', 'One region may be lost', [['no', 'no'], ['yes', 'yes, the others take over']]),
      tools.choice('spare', 'Instances that may be gone', [['0', '0'], ['1', '1'], ['2', '2']]),
      h('details', {}, h('summary', {}, 'Costs of a lookup'),
        tools.text('pir', 'CPU of the PIR server', 'for a lookup; urlfilter measure tells what your machine takes'),
        tools.text('gateway', 'CPU of the gateway', 'for a lookup; the issuer is charged as much'),
        tools.text('way', '99 of 100 without waits', 'the way there and back, and computing'),
        tools.text('detour', 'Longer way to another region', 'assumption: over an ocean and back'),
        tools.text('utilization', 'Busy cores at the peak, at most', 'assumption: head-room for what nobody foresees')),
    ],
    below: (tools) => confirmation(folder, 'servers', { question: () => question(tools.state) }),
  });
}

function draw(found, state) {
  if (found.money === undefined) return [h('p', { class: 'answer' }, found.sentence), problem('No number of servers shortens the way: raise the limit, or lower the time without waits.')];
  const healthy = found.situations.find((one) => one.name === 'healthy');
  const lost = found.situations.find((one) => one.name === 'instanceLost');
  const mark = found.byInstances.find((one) => one.instances === found.chosen);
  const money = (value) => `${found.currency} ${number(value)}`;
  return [
    h('p', { class: 'answer' }, found.sentence),
    tiles([
      [money(found.money), 'a month: servers, traffic, downloads'],
      [seconds(healthy?.latency), '99 of 100 lookups, all are well'],
      [seconds(lost?.latency), '99 of 100 lookups, one instance gone'],
      healthy && [share(healthy.utilization), 'busiest service at the peak'],
    ]),
    h('div', { class: 'figures' },
      found.byInstances.length > 1 && chart({
        title: 'How long a lookup takes.', words: 'With more or fewer PIR servers in each region. Where a line ends, work comes faster than it is done.',
        x: 'PIR servers in a region', y: '99 of 100 lookups within',
        series: [
          { name: 'all are well', points: found.byInstances.map((one) => [one.instances, one.healthy]) },
          { name: 'one instance gone', points: found.byInstances.map((one) => [one.instances, one.instanceLost]) },
          ...(found.byInstances.some((one) => one.regionLost) ? [{ name: 'a region gone', points: found.byInstances.map((one) => [one.instances, one.regionLost]) }] : []),
        ].filter((one) => one.points.some((point) => Number.isFinite(point[1]))),
        marks: mark?.healthy ? [{ x: mark.instances, y: mark.healthy, text: 'cheapest that will do', style: 'chosen', below: true }] : [],
        limit: { y: found.limit, text: `limit ${seconds(found.limit)}` }, format: seconds, ticksX: ends(found.byInstances.map((one) => one.instances)),
      }),
      found.byDevices.length > 1 && chart({
        title: 'What it costs as the fleet grows.', words: 'The cheapest servers for each size.', x: 'devices', y: `${found.currency} a month`,
        points: found.byDevices.map((one) => [one.devices, one.money]), isLogX: true, isLogarithmic: true,
        marks: [{ x: amount(state.devices), y: found.money, text: 'yours', style: 'chosen' }].filter((one) => one.x > 0),
        format: number, formatX: count, ticksX: ends(found.byDevices.map((one) => one.devices)),
      })),
    h('h2', {}, 'Machines'),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Machines' },
      h('table', {}, h('thead', {}, h('tr', {}, ['service', 'region', 'instances', 'cores each', 'busy in the worst case', 'allowed'].map((head, index) =>
        h('th', { scope: 'col', class: index > 1 ? 'number' : null }, head)))),
      h('tbody', {}, found.services.map((one) => h('tr', {}, h('td', {}, one.service), h('td', {}, one.region ?? 'the only one'),
        [one.instances, one.cores].map((value) => h('td', { class: 'number' }, count(value))),
        [one.utilization, one.limit].map((value) => h('td', { class: 'number' }, share(value)))))))),
    h('h2', {}, 'When something fails'),
    h('ul', {}, found.situations.map((one) => h('li', {}, `${one.words}: ${one.latency === undefined || one.latency === null ? 'the queue grows without end' : `99 of 100 lookups within ${seconds(one.latency)}`}`
      + (one.utilization ? `, busiest service ${share(one.utilization)} busy` : '') + (one.failedShare > 0 ? `, ${share(one.failedShare)} of the day’s lookups fail` : '')))),
    command('urlfilter capacity SCENARIO.yaml --quick'),
    h('p', { class: 'soft' }, 'The terminal’s plan takes its rates from a sample of SCENARIO.yaml, and confirms itself by simulation without --quick.'),
  ];
}

/** First and last of some values, and one between. */
function ends(values) {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  return sorted.length > 2 ? [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted[sorted.length - 1]] : sorted;
}
