// Elements from texts. Nothing here, or anywhere else on this page, reads a text as markup: names in lists, scenarios
// and results come from anybody.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An element; a function among the attributes listens to the event of that name. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds. */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/** Says something to everybody, screen readers included. */
export function say(text) {
  const news = document.getElementById('news');
  news.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { news.textContent = ''; }, 8000);
}

/** A command of the terminal that does the same, to be copied. */
export function command(text) {
  const button = h('button', { type: 'button', click: () => copy(text, 'command copied') }, 'Copy command');
  return h('div', { class: 'command' }, h('code', {}, text), button);
}

export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say('the browser does not let this page copy; select the text instead');
  }
}

/** Saves a text as a file, where the browser puts what is downloaded. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say(`${name} is saved where the browser puts downloads`);
}

/** A message about something that went wrong. */
export function problem(text, ...more) {
  return h('div', { class: 'problem', role: 'alert' }, h('p', {}, text), more);
}

/** Calls once, when nothing was asked for some milliseconds. */
export function later(wait, body) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...values), wait);
  };
}

const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function seconds(value) {
  if (value === null || value === undefined) return 'grows without end';
  if (value === 0) return '0';
  if (value < 1) return `${DIGITS.format(value * 1000)}\u00a0ms`;
  if (value < 120) return `${DIGITS.format(value)}\u00a0s`;
  if (value < 7200) return `${DIGITS.format(value / 60)}\u00a0min`;
  return value < 172800 ? `${DIGITS.format(value / 3600)}\u00a0h` : `${DIGITS.format(value / 86400)}\u00a0days`;
}

export function count(value) {
  return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
}

/** Three digits: 0.00103, 12.3, 4.56e-7. */
export function number(value) {
  if (value === 0) return '0';
  if (value < 0) return `\u2212${number(-value)}`;
  if (Math.abs(value) < 1e-4) return value.toExponential(2).replace('e-', 'e\u2212');
  return value >= 1000 ? count(value) : DIGITS.format(value);
}

export function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let index = 0;
  while (value >= 1000 && index < units.length - 1) { value /= 1000; index += 1; }
  return `${index === 0 ? Math.round(value) : DIGITS.format(value)}\u00a0${units[index]}`;
}

export function share(value) {
  return value >= 1e-4 ? `${number(value * 100)}\u00a0%` : number(value);
}
