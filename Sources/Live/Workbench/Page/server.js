// Talk with the program. The session's secret is kept where only pages of this origin, port included, can read it.

const KEY = 'session';

export class Refusal extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** Takes the secret out of the address, and out of the history, and opens a session with it. */
export async function openSession() {
  const found = /^#open=([0-9a-f]{64})(.*)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, '', '/#' + (found[2] || '/'));
  const answer = await fetch('/api/session', request({ secret: found[1] }));
  const document = await answer.json();
  if (answer.ok) localStorage.setItem(KEY, document.session);
  // A page that was opened before goes on with what it has.
  else if (!localStorage.getItem(KEY)) throw new Refusal(answer.status, document.error);
}

function request(body, signal) {
  return {
    method: 'POST', cache: 'no-store', credentials: 'omit', redirect: 'error', signal,
    headers: { 'content-type': 'application/json', 'x-workbench-session': localStorage.getItem(KEY) ?? '' },
    body: JSON.stringify(body),
  };
}

export async function ask(path, body = {}, signal = undefined) {
  let answer;
  try {
    answer = await fetch('/api/' + path, request(body, signal));
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal(0, 'the program does not answer; is it still running in its terminal?');
  }
  const document = await answer.json().catch(() => ({ error: `the answer ${answer.status} is no JSON` }));
  if (!answer.ok) throw new Refusal(answer.status, document.error);
  return document;
}

/** Sends files to be looked at: names and lengths in the first line, then their bytes. */
export async function send(parts) {
  const head = JSON.stringify({ files: parts.map(({ file, kind }) => ({ name: file.name, bytes: file.size, kind })) }) + '\n';
  const asked = request({});
  let answer;
  try {
    answer = await fetch('/api/look', { ...asked, headers: { ...asked.headers, 'content-type': 'application/octet-stream' },
      body: new Blob([head, ...parts.map(({ file }) => file)]) });
  } catch {
    throw new Refusal(0, 'the program does not answer; is it still running in its terminal?');
  }
  const document = await answer.json().catch(() => ({ error: `the answer ${answer.status} is no JSON` }));
  if (!answer.ok) throw new Refusal(answer.status, document.error);
  return document;
}

/** Calls for every event, and again after a connection ended, until the signal says stop. */
export async function listen(path, signal, event) {
  let pause = 1000;
  while (!signal.aborted) {
    try {
      const answer = await fetch('/api/' + path, request({}, signal));
      if (answer.ok) {
        pause = 1000;
        await read(answer.body.getReader(), event);
      }
    } catch { /* the pause below is the answer */ }
    await new Promise((resume) => { setTimeout(resume, pause); });
    pause = Math.min(pause * 2, 30000);
  }
}

async function read(reader, event) {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      if (part.startsWith('data: ')) event(JSON.parse(part.slice(6)));
    }
  }
}
