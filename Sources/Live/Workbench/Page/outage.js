// Open or closed: what an outage does with either policy, while it gets longer.

import { command, h, number, seconds, share } from './elements.js';
import { chart } from './chart.js';
import { amount, confirmation, knobPage, measured, tiles } from './knobs.js';
import { ask } from './server.js';

const KNOBS = {
  devices: '20000', urls: '1500', peak: '2', listed: '0.1%', stray: '1/50', asked: '50%', length: '20min', lost: 'everything', of: '2',
  detection: '25s', refetch: '6h', worth: '',
};
const TICKS = [60, 600, 3600, 21600, 86400];

export async function outagePage(main, name, query) {
  const folder = await ask('folder');
  const parts = h('div');
  await knobPage({
    main, path: 'outage', query, defaults: KNOBS, title: 'Open or closed', question: (state) => ({ ...state }), draw,
    lead: 'When no server answers, a filter that fails open lets listed URLs through, and one that fails closed blocks others that hit by '
      + 'chance. Closed forms: lookups that are repeated, and people who give up, are left out.',
    knobs: (tools) => {
      const part = () => { parts.hidden = tools.state.lost === 'everything'; };
      parts.replaceChildren(tools.text('of', 'One of so many', 'regions with as many devices each, or instances that keep their own users’ keys'),
        tools.text('detection', 'Until a health check sees it', 'default: three failures, one every 10 s'),
        tools.text('refetch', 'Until a device fetches its configuration', 'assumption: 6 h; until then it has no key at the other servers'));
      part();
      return [
        measured(folder, 'outage', tools),
        tools.text('length', 'Length of the outage', 'such as 90s, 20min or 4h'),
        tools.slider('length', 'Length of the outage, logarithmic', 0, 32, 0.25, (value) => `${Math.round(60 * 1440 ** (value / 32))}s`,
          (text) => 32 * Math.log(Math.max(60, amount(text)) / 60) / Math.log(1440)),
        tools.choice('lost', 'What is gone', [['everything', 'all servers'], ['region', 'a region'], ['instance', 'an instance']], part),
        parts,
        tools.text('devices', 'Devices', 'such as 20000 or 1.2M'),
        tools.text('urls', 'URLs a device checks a day', 'assumption; a run of your scenario tells'),
        tools.text('peak', 'That hour over the mean hour', 'assumption: 2 in the evening, 4 in a lesson'),
        tools.text('listed', 'Share of them that is listed', 'assumption; a run or a check of your log tells'),
        tools.text('stray', 'Share that hits by chance', 'the page “Which prefilter” says it: 1 in so many'),
        tools.text('asked', 'Share of the hits that no cache answers', 'assumption; a run tells'),
        tools.text('worth', 'A listed URL is as bad as so many others blocked', 'yours to say; empty: the answer is the number itself'),
      ];
    },
    below: (tools) => confirmation(folder, 'outage', { question: () => ({ ...tools.state }) }),
  });
}

function draw(found, state) {
  const { chosen } = found;
  const line = (key) => found.byLength.map((one) => [one.length, one[key]]);
  return [
    h('p', { class: 'answer' }, found.sentence),
    tiles([
      [number(chosen.leaked), 'listed URLs get through, open'],
      [number(chosen.blocked), 'other URLs are blocked, closed'],
      found.blockedPerListed !== undefined && [number(found.blockedPerListed), 'others blocked for each listed one, however long it lasts'],
      [seconds(found.end), 'until every device has answers again'],
      found.choice && [found.choice === 'open' ? 'fail open' : 'fail closed', `does less harm, if a listed URL is as bad as ${number(amount(state.worth))} others`],
    ]),
    !found.choice && found.blockedPerListed !== undefined && h('p', {}, `Fail open if a listed URL that gets through is less bad than ${number(found.blockedPerListed)} others that are blocked; else fail closed.`),
    h('div', { class: 'figures' },
      chart({
        title: 'What an outage does.', words: 'The longer, the more; which is worse does not depend on the length.', x: 'length of the outage', y: 'in all',
        series: [{ name: 'open: listed URLs let through', points: line('leaked') }, { name: 'closed: others blocked', points: line('blocked') }],
        marks: [{ x: Math.min(86400, Math.max(60, chosen.length)), y: Math.max(chosen.leaked, chosen.blocked), text: 'yours', style: 'chosen' }],
        format: number, formatX: seconds, isLogX: true, isLogarithmic: true, ticksX: TICKS, dots: false,
      }),
      chart({
        title: 'Who has no answer.', words: 'Of the devices whose servers are gone, from the beginning.', x: 'time', y: 'share of them',
        points: found.course.map((one) => [one.seconds, one.failing]), format: share, formatX: seconds,
        ticksX: [0, 0.25, 0.5, 0.75, 1].map((step) => step * found.course[found.course.length - 1].seconds), dots: false,
      })),
    command('urlfilter compare SCENARIO.yaml --faults vendor'),
    h('p', { class: 'soft' }, 'The terminal compares open with closed in seven faults, by simulation.'),
  ];
}
