// The timeline of a run as `urlfilter run --timeline` writes it: events of Chrome's trace format, times in microseconds.

/** Times are read from decimal microseconds, so ends that are one may differ by a rounding. */
const ROUNDING = 1e-8;

/**
 * Lookups, tracks, instants and counters of a trace, in seconds of the run.
 *
 * @returns lookups, slowest first; tracks: [{ part, name, slices: [{ name, from, to, depth }] }]; instants; counters
 */
export function readTrace(document) {
  if (!Array.isArray(document?.traceEvents)) throw new Error('timeline.json is not what urlfilter run --timeline writes');
  const parts = new Map();
  const tracks = new Map();
  const found = { lookups: [], tracks: [], instants: [], counters: [] };
  const track = (event) => {
    const key = `${event.pid} ${event.tid}`;
    if (!tracks.has(key)) {
      tracks.set(key, { part: event.pid, name: '', slices: [], open: [] });
      found.tracks.push(tracks.get(key));
    }
    return tracks.get(key);
  };
  for (const event of document.traceEvents) {
    const from = Number(event?.ts) / 1e6;
    if (event?.ph === 'M' && event.name === 'process_name') parts.set(event.pid, String(event.args?.name));
    else if (event?.ph === 'M' && event.name === 'thread_name') track(event).name = String(event.args?.name).replace(/ \(\d+\)$/, '');
    else if (event?.ph === 'X' && from >= 0 && Number(event.dur) >= 0) add(track(event), event, from, from + Number(event.dur) / 1e6);
    else if (event?.ph === 'i' && from >= 0) found.instants.push({ part: event.pid, name: String(event.name), from });
    else if (event?.ph === 'C' && from >= 0) found.counters.push({ part: event.pid, name: String(event.name), from, value: Number(event.args?.[event.name]) });
  }
  for (const one of [...found.tracks, ...found.instants, ...found.counters]) one.part = parts.get(one.part) ?? '';
  const served = places(found.tracks);
  for (const { part, name, slices } of found.tracks) {
    if (part !== 'devices') continue;
    for (const slice of slices) {
      if (slice.depth === 0 && slice.lookup !== undefined) found.lookups.push(lookup(slice, name, served.get(slice.lookup) ?? []));
    }
  }
  found.lookups.sort((a, b) => b.took - a.took);
  return found;
}

/** Slices of a track come in the order of their beginnings, each before those inside it. */
function add(track, event, from, to) {
  while (track.open.length && track.open[track.open.length - 1].to < to - ROUNDING) track.open.pop();
  const outer = track.open[track.open.length - 1];
  const slice = { name: String(event.name), from, to, depth: track.open.length, inner: [], lookup: event.args?.lookup, args: event.args ?? {} };
  if (outer) outer.inner.push(slice);
  track.slices.push(slice);
  track.open.push(slice);
}

/** Instances that worked for a lookup, by its number. */
function places(tracks) {
  const served = new Map();
  for (const { part, name, slices } of tracks) {
    if (part === 'devices' || part === 'faults') continue;
    for (const { lookup: number } of slices) {
      if (!served.has(number)) served.set(number, new Set());
      served.get(number).add(`${part}, ${name}`);
    }
  }
  return served;
}

/** Where the time of a lookup went. What is in no request is a pause, and what is in no part of a request is the way. */
function lookup(slice, device, served) {
  const shares = new Map();
  const steps = [];
  const spend = (kind, name, one, time) => {
    if (time > ROUNDING) shares.set(name, (shares.get(name) ?? 0) + time);
    steps.push({ kind, name, from: one.from - slice.from, to: one.to - slice.from });
  };
  let rest = slice.to - slice.from;
  for (const step of slice.inner) {
    const time = step.to - step.from;
    rest -= time;
    if (!step.name.startsWith('request')) {
      spend('wait', step.name, step, time);
      continue;
    }
    spend('way', 'on the way', step, step.inner.reduce((left, one) => left - (one.to - one.from), time));
    for (const one of step.inner) spend(one.name.startsWith('waits at ') ? 'wait' : 'work', one.name, one, one.to - one.from);
  }
  if (rest > ROUNDING) shares.set('pauses, or a request beside it', rest);
  const most = [...shares].sort((a, b) => b[1] - a[1])[0] ?? ['on the way', 0];
  return {
    device, number: slice.lookup, from: slice.from, to: slice.to, took: slice.to - slice.from, steps, shares,
    outcome: slice.name.replace(/^lookup, /, ''), keywords: slice.args.keywords,
    requests: slice.inner.filter((one) => one.name.startsWith('request')).length, most: most[0],
    mostShare: most[1] / (slice.to - slice.from || 1), served: [...served].sort(),
  };
}
