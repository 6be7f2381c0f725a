// A scenario as a form and as its text, beside each other: each changes the other.

import { command, count, h, later, problem, say, show } from './elements.js';
import { settingForm } from './form.js';
import { ask } from './server.js';

export async function scenarioPage(main, path, query) {
  const [file, fields] = await Promise.all([ask('scenario/read', { path }), ask('form')]);
  const title = h('h1', {}, path);
  const facts = h('p', { class: 'soft' });
  const problems = h('div', { id: 'problems' });
  const notes = h('div', { role: 'status' });
  const editor = h('textarea', { id: 'text', spellcheck: 'false', autocapitalize: 'off', rows: 30, value: file.text, wrap: 'off',
    'aria-describedby': 'text-words' });
  const save = h('button', { type: 'button', disabled: true, click: () => keep(path, file.version) }, 'Save');
  const run = h('button', { type: 'button', class: 'first', click: start }, 'Run');
  const name = h('input', { id: 'name', value: path.replace(/(-\d+)?\.ya?ml$/, '-2.yaml') });
  const form = settingForm(fields.fields, change);
  let saved = file.text;
  let asked = 0;

  const isChanged = () => editor.value !== saved;

  async function resolve() {
    asked += 1;
    const mine = asked;
    const reading = await ask('scenario/resolve', { path, text: editor.value });
    if (mine !== asked) return;
    save.disabled = !isChanged();
    run.textContent = isChanged() ? 'Save and run' : 'Run';
    run.disabled = Boolean(reading.problem);
    show(problems);
    if (reading.problem) {
      show(problems, problem(reading.problem.sentence, reading.problem.line > 0
        && h('button', { type: 'button', click: () => select(reading.problem.line) }, `Go to line ${reading.problem.line}`)));
    } else {
      title.textContent = reading.name;
      facts.textContent = [path, `${count(reading.devices)} devices`,
        (reading.points > 1 ? `${count(reading.points)} points, ` : '') + `at most ${count(reading.replications)} replications`]
        .join(' · ');
    }
    form.update(reading);
  }

  /** Selects a line of the text. */
  function select(line) {
    const lines = editor.value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    editor.focus();
    editor.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
    editor.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(editor).lineHeight));
  }

  /** Puts one setting into the text; an empty value goes back to the default. */
  async function change(setting, value, isText) {
    try {
      const changed = await ask('scenario/set', { path, text: editor.value, setting, value, isText });
      editor.value = changed.text;
      show(notes, changed.lostComments
        && h('p', { class: 'note' }, 'The text had to be written anew for this change: its comments are gone. Undo it by hand, or load the page again.'));
      await resolve();
    } catch (error) {
      show(problems, problem(error.message));
    }
  }

  async function keep(where, version) {
    try {
      const kept = await ask('scenario/save', { path: where, text: editor.value, version });
      if (where !== path) {
        saved = editor.value;
        location.hash = '#/scenario/' + encodeURIComponent(where);
        return true;
      }
      file.version = kept.version;
      saved = editor.value;
      say(`${where} is saved`);
      await resolve();
      return true;
    } catch (error) {
      show(problems, problem(error.message));
      return false;
    }
  }

  async function start() {
    if (isChanged() && !await keep(path, file.version)) return;
    try {
      await ask('runs/start', { path });
      location.hash = '#/runs';
    } catch (error) {
      show(problems, problem(error.message));
    }
  }

  editor.addEventListener('input', later(200, resolve));
  show(main, title, facts,
    h('div', { class: 'row' }, run, save,
      h('details', { class: 'as' }, h('summary', {}, 'Save as'),
        h('p', { class: 'row' }, h('label', { for: 'name' }, 'File '), name,
          h('button', { type: 'button', click: () => keep(name.value) }, 'Save')))),
    problems, notes,
    h('div', { class: 'columns even' },
      form.element,
      h('section', { class: 'editor', 'aria-labelledby': 'text-title' },
        h('h2', { id: 'text-title' }, h('label', { for: 'text' }, 'The file')),
        h('p', { class: 'soft', id: 'text-words' }, 'YAML. It is written only when you save.'),
        editor,
        command(`urlfilter run ${quoted(path)}`))));
  for (const assignment of query.getAll('set')) {
    const equals = assignment.indexOf('=');
    await change(assignment.slice(0, equals), assignment.slice(equals + 1), false);
  }
  if (query.has('set') && main.isConnected) history.replaceState(null, '', '#/scenario/' + encodeURIComponent(path));
  await resolve();
  return (isSilent) => !isChanged() || (!isSilent && confirm('Leave without saving what you changed?'));
}

function quoted(word) {
  return /^[A-Za-z0-9._/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
