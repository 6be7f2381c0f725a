// A form made from the schema of scenarios.

import { count, h, later, show } from './elements.js';

/** Groups by the first word of a path. */
const GROUPS = {
  '': ['The run', 'what is simulated, for how long, how often, and what you ask of it'],
  replications: ['Replications', 'how often it is repeated, and how sure the intervals are'],
  blocklist: ['List', 'what is to be blocked'],
  filter: ['Prefilter', 'its size, and what happens without an answer'],
  updates: ['Editions', 'how often the list changes'],
  devices: ['Devices', 'groups of people, what they browse, their network and their system'],
  web: ['Web', 'the synthetic web that profiles browse'],
  behaviour: ['Behaviour', 'what people do when a page does not come'],
  connections: ['Connections', 'handshakes, windows, radios'],
  services: ['Servers', 'relay, gateway, issuer and PIR servers: how many, how fast, where'],
  faults: ['Faults', 'what fails, when and for how long'],
  crowds: ['Crowds', 'many people at once'],
  health: ['Health', 'what counts as trouble'],
  parties: ['Who runs what', 'for the account of who learns what'],
  prices: ['Prices', 'what servers and bytes cost'],
  mechanisms: ['Other ways to filter', 'DNS, proxies and tunnels, for comparison'],
};

const VIEWS = [
  ['set', 'Set in the file', (row) => row.isSet],
  ['used', 'In effect', (row) => row.isSet || row.isUsed],
  ['assumed', 'Assumed', (row) => row.isUsed && row.isAssumed],
  ['all', 'Everything', () => true],
];

const MOST = 150;

export function settingForm(fields, change) {
  const search = h('input', { type: 'search', id: 'find', placeholder: 'word of a key or its meaning' });
  const body = h('div', { class: 'groups' });
  const summary = h('p', { class: 'soft', role: 'status' });
  const open = new Set(['', 'filter', 'devices']);
  let view = 'used';
  let rows = [];

  const views = VIEWS.map(([id, title]) => [
    h('input', { type: 'radio', name: 'view', id: 'view-' + id, checked: id === view, change: () => { view = id; draw(); } }),
    h('label', { for: 'view-' + id }, title),
  ]);
  search.addEventListener('input', later(120, draw));

  function draw() {
    const focus = document.activeElement?.id;
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const test = VIEWS.find(([id]) => id === view)[2];
    const found = rows.filter((row) => (wanted.length ? wanted.every((word) => row.text.includes(word)) : test(row)));
    const groups = Map.groupBy ? Map.groupBy(found, (row) => row.group) : grouped(found);
    show(body, [...groups].map(([group, some]) => section(group, some, wanted.length > 0)));
    summary.textContent = wanted.length
      ? `${count(found.length)} of ${count(rows.length)} settings have ${wanted.length > 1 ? 'these words' : 'this word'}`
      : `${count(rows.filter((row) => row.isSet).length)} set in the file, ${count(rows.filter((row) => row.isUsed && !row.isSet).length)} `
        + `more in effect, ${count(rows.filter((row) => row.isUsed && row.isAssumed).length)} of them assumed`;
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  }

  function section(group, some, isSearch) {
    const [title, words] = GROUPS[group] ?? [group, ''];
    const list = h('div', { class: 'rows' });
    // Rows are made when they are seen: a scenario has hundreds.
    const fillIn = () => { if (!list.firstChild) show(list, some.slice(0, MOST).map((row) => control(row, change)), more(some)); };
    const isOpen = isSearch ? some.length <= MOST : open.has(group);
    if (isOpen) fillIn();
    return h('details', { open: isOpen, toggle: (event) => {
      if (event.target.open) fillIn();
      if (isSearch) return;
      if (event.target.open) open.add(group); else open.delete(group);
    } }, h('summary', {}, h('strong', {}, title), h('span', { class: 'soft' }, ` ${count(some.length)} · ${words}`)), list);
  }

  return {
    element: h('section', { 'aria-labelledby': 'form-title' },
      h('h2', { id: 'form-title' }, 'Settings'),
      h('p', { class: 'row' }, h('label', { for: 'find' }, 'Search '), search),
      h('fieldset', { class: 'choice' }, h('legend', { class: 'hidden' }, 'Which settings'), views),
      summary, body),
    update(reading) {
      // While the text is wrong the form shows the last one that was right.
      if (reading.problem && rows.length) return;
      rows = makeRows(fields, reading);
      draw();
    },
  };
}

function more(some) {
  return some.length > MOST && h('p', { class: 'soft' }, `and ${count(some.length - MOST)} more; search for them`);
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.group, [...groups.get(row.group) ?? [], row]);
  return groups;
}

/** Places that a pattern has in this scenario: one for each element of its lists. */
function instances(pattern, places) {
  const end = pattern.lastIndexOf('[]');
  if (end < 0) return [pattern];
  const head = pattern.slice(0, end + 2);
  return places.filter((place) => place.pattern === head).map((place) => place.path + pattern.slice(end + 2));
}

function makeRows(fields, reading) {
  const values = new Map(reading.values.map((value) => [value.path, value]));
  // Of a law or a list, the parts count as use of the whole.
  const used = new Set();
  for (const { path } of reading.values) {
    for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
      used.add(path.slice(0, end));
    }
  }
  return fields.flatMap((field) => instances(field.place, reading.places).map((place) => {
    const path = place ? `${place}.${field.key}` : field.key;
    const value = values.get(path);
    const group = reading.groups[path];
    const source = (value?.source ?? field.source)?.replaceAll('`', '');
    const isSet = group !== undefined || Boolean(value && !value.source && !value.isDerived);
    return {
      ...field, path, group: field.place.split(/[.[]/)[0], value: group ?? value?.value, isSet, isUsed: used.has(path),
      isDerived: value?.isDerived, source, isAssumed: !isSet && (value ? value.isAssumed : field.isAssumed),
      text: `${path} ${field.words} ${field.choices ?? ''}`.toLowerCase(),
    };
  }));
}

function control(row, change) {
  const id = 'set-' + row.path;
  const shown = row.isSet ? row.value ?? '' : '';
  const usual = (row.isSet ? row.usual : row.value ?? row.usual) ?? '';
  let input;
  if (row.control === 'flag' || (row.control === 'choice' && row.choices)) {
    const options = row.control === 'flag' ? ['true', 'false'] : row.choices;
    input = h('select', { id },
      h('option', { value: '' }, usual ? `${usual} (default)` : 'default'),
      options.map((option) => h('option', { value: option, selected: option === normal(row, shown) }, option)));
  } else {
    input = h('input', { id, value: shown, placeholder: usual, autocomplete: 'off', spellcheck: 'false', list: null });
  }
  input.setAttribute('aria-describedby', id + '-words');
  input.addEventListener('change', () => change(row.path, input.value, row.control === 'text'));
  return h('div', { class: row.isSet ? 'setting mine' : 'setting' },
    h('label', { for: id }, row.path),
    h('div', { class: 'row' }, input, row.isSet && !row.isRequired
      && h('button', { type: 'button', class: 'quiet', 'aria-label': `default of ${row.path}`, click: () => change(row.path, '', false) }, 'Default')),
    h('p', { class: 'soft', id: id + '-words' }, words(row), origin(row)));
}

function normal(row, text) {
  if (row.control !== 'flag') return text;
  return { yes: 'true', on: 'true', no: 'false', off: 'false' }[text] ?? text;
}

function words(row) {
  return row.words.replaceAll('`', '') + (row.range ? `; ${row.range}` : '') + '. ';
}

function origin(row) {
  if (row.isSet || !row.isUsed) return row.usual ? `Default: ${row.usual} (${row.source}).` : row.source ? `Default: ${row.source}.` : null;
  if (row.isAssumed) return [h('span', { class: 'badge open' }, 'assumed'), ' ', row.source.replace(/^assumption:?\s*/, '')];
  if (row.isDerived) return 'Follows from another setting.';
  return row.source ? `Default${row.usual ? ' from' : ':'} ${row.source}.` : null;
}
