// A list or a log that somebody drops: what it is, what is wrong with it, and what the one would block of the other.

import { csvButtons, csvOf } from './chart.js';
import { command, count, h, number, problem, seconds, show } from './elements.js';
import { send } from './server.js';

const MOST = 90e6;

export async function lookPage(main) {
  const files = { list: null, log: null };
  const shown = h('div', { 'aria-live': 'polite' });
  let asked = 0;

  async function take(some) {
    const given = [...some].slice(0, 2);
    if (!given.length) return;
    if (given.reduce((sum, file) => sum + file.size, 0) > MOST) {
      show(shown, problem('The page takes up to 90 MB. The terminal takes more: urlfilter lint, urlfilter check.'));
      return;
    }
    await look(given.map((file) => ({ file })));
  }

  async function look(parts) {
    asked += 1;
    const mine = asked;
    show(shown, h('p', { role: 'status' }, 'Looking …'));
    try {
      // The one that was looked at before is looked at again, together with the new one.
      const found = await send(parts);
      if (mine !== asked) return;
      if (parts.length === 1) {
        const kind = found.log ? 'log' : 'list';
        files[kind] = parts[0].file;
        const other = kind === 'log' ? files.list : files.log;
        if (other) {
          await look([{ file: files.list, kind: 'list' }, { file: files.log, kind: 'log' }]);
          return;
        }
      } else {
        for (const { file, kind } of parts) if (kind) files[kind] = file;
      }
      show(shown, found.check && checked(found), found.list && listed(found.list, parts.length === 1 && (() => look([{ file: parts[0].file, kind: 'log' }]))), found.log && logged(found.log),
        !found.check && h('p', {}, found.log ? 'Drop a list, too, and the page says what it would block of this log.' : 'Drop a log, too, and the page says what the list would block of it.'));
    } catch (error) {
      if (mine === asked) show(shown, problem(error.message));
    }
  }

  const input = h('input', { type: 'file', multiple: true, id: 'files' });
  input.addEventListener('change', () => take(input.files));
  const zone = h('div', { class: 'drop' }, h('p', {}, h('label', { for: 'files' }, 'Drop a list or a log here, or choose one: ')), input);
  zone.addEventListener('dragover', (event) => { event.preventDefault(); zone.classList.add('over'); });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    take(event.dataTransfer.files);
  });
  show(main, h('h1', {}, 'List or log'),
    h('p', { class: 'lead' }, 'What a list is, what is wrong with it, and what it would block of a log. Nothing is kept, and nothing leaves this machine.'),
    zone, shown);
}

function listed(list, asLog) {
  const csv = () => csvOf([['severity', 'cause', 'count', 'example'], ...list.causes.map((one) => [one.severity, one.words, one.count, one.examples[0] ?? ''])]);
  return h('section', { 'aria-labelledby': 'list-title' }, h('h2', { id: 'list-title' }, list.name),
    h('p', {}, `A list: ${list.format}, ${count(list.lines)} lines, ${count(list.entries)} entries. `,
      list.errors || list.warnings ? `${count(list.errors)} lines do nothing, ${count(list.warnings)} deserve a look.` : 'Nothing is wrong with it.'),
    list.causes.length > 0 && [csvButtons('findings', csv), h('ul', {}, list.causes.map((one) => h('li', {},
      h('span', { class: one.severity === 'error' ? 'badge fail' : 'badge open' }, one.severity), ` ${count(one.count)}: ${one.words}`,
      h('ul', { class: 'soft' }, one.examples.map((text) => h('li', {}, text))))))],
    h('details', {}, h('summary', {}, 'As the terminal says it'), h('pre', {}, list.text)),
    asLog && h('p', {}, h('button', { type: 'button', click: asLog }, 'It is a log')),
    h('p', {}, h('a', { href: `#/prefilter?entries=${list.entries}` }, 'Which prefilter for it?')), command(list.command));
}

function logged(log) {
  return h('section', { 'aria-labelledby': 'log-title' }, h('h2', { id: 'log-title' }, log.name),
    h('p', {}, `A log: ${log.format}, ${count(log.requests)} requests of ${count(log.clients)} clients in ${seconds(log.seconds)}`
      + (log.requestsPerClientDay ? `, ${number(log.requestsPerClientDay)} a client and day` : '')
      + (log.dropped ? `; ${count(log.dropped)} lines cannot be read.` : '.')),
    command(log.command));
}

function checked({ check }) {
  const csv = () => csvOf([['entry', 'requests', 'clients', 'hosts', 'doubts', 'example'],
    ...check.entries.map((one) => [one.entry, one.requests, one.clients, one.hosts, one.doubts.join('; '), one.examples[0] ?? ''])]);
  return h('section', { 'aria-labelledby': 'check-title' }, h('h2', { id: 'check-title' }, 'What it would block'),
    h('p', { class: 'answer' }, `${count(check.blocked)} of ${count(check.requests)} requests would be blocked.`),
    csvButtons('blocked', csv),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Entries and what each would block' }, h('table', {},
      h('thead', {}, h('tr', {}, ['entry', 'requests', 'clients', 'look at it'].map((text, index) => h('th', { scope: 'col', class: index === 1 || index === 2 ? 'number' : null }, text)))),
      h('tbody', {}, check.entries.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.entry),
        [one.requests, one.clients].map((value) => h('td', { class: 'number' }, count(value))), h('td', {}, one.doubts.join('; '))))))),
    h('details', {}, h('summary', {}, 'As the terminal says it'), h('pre', {}, check.text)), command(check.command));
}
