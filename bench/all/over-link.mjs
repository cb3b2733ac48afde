import { quantile } from './rounds.mjs';
import { open, openMany } from './trades.mjs';

const bars = (count) => `/fetch_data_pos?symbol=EURUSD&num_bars=${count}`;
/** Calls so short that what the gateway adds can be measured over many orders. */
const shortCallMs = 1;

/**
 * Each read and POST /order of one client over the link to a terminal that takes `callMs` for each call: the wait for the answer,
 * the calls that the terminal worked on meanwhile, and the part of the wait in which it worked on none, which is what the gateway,
 * the link and the disk add.
 */
export async function linkRows(linked, { callMs, times, positions, shortTimes }) {
  const { gateway } = linked;
  await linked.takeFor(0);
  await openMany(gateway, 3, { magic: 3 });
  await openMany(gateway, 7);
  const [from, to] = [3_600_000, 0].map((beforeMs) => new Date(Date.now() - beforeMs).toISOString());
  const reads = [
    ['tick', '/symbol_info_tick/EURUSD'],
    ['account', '/account'],
    ['3 positions', '/get_positions?magic=3'],
    ['10 positions', '/get_positions'],
    ['100 bars', bars(100)],
    ['10,000 bars', bars(10_000)],
    ['10 deals', `/history_deals_get?from_date=${from}&to_date=${to}`],
  ];
  const rows = [];
  const add = async (name, request, ms = callMs, count = times) => {
    await linked.takeFor(ms);
    rows.push({ name, ...(await waitsOf(linked, count, request)) });
    process.stderr.write('.');
  };
  for (const [name, path] of reads) await add(`read of ${name}`, () => gateway.json(path));
  await add('POST /order', () => open(gateway));
  await add(`POST /order, ${shortCallMs} ms for a call`, () => open(gateway), shortCallMs, shortTimes);
  await linked.takeFor(0);
  await openMany(gateway, positions);
  await add(`read of account, ${positions} positions`, () => gateway.json('/account'));
  await add(`POST /order, ${positions} positions`, () => open(gateway));
  return rows;
}

/** Orders of several clients at a time, each of whom sends the next one after the answer to the one before. */
export async function linkOrders(linked, { callMs, seconds, clientCounts }) {
  await linked.takeFor(callMs);
  const rows = [];
  for (const clients of clientCounts) {
    await linked.calls();
    const waits = [];
    let refused = 0;
    const startMs = performance.now();
    const client = async () => {
      do {
        const sentMs = performance.now();
        // A read that waits for too long in the queue of the terminal is an error, and nothing is sent.
        if (await isDone(open(linked.gateway))) waits.push(performance.now() - sentMs);
        else refused += 1;
      } while (performance.now() - startMs < seconds * 1_000);
    };
    await Promise.all(Array.from({ length: clients }, client));
    const tookMs = performance.now() - startMs;
    const calls = await linked.calls();
    const busyMs = calls.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
    rows.push({
      ...{ clients, done: waits.length, refused, perSecond: (waits.length / tookMs) * 1_000 },
      ...{ callsPerOrder: waits.length > 0 ? calls.length / waits.length : null, busyPercent: (busyMs / tookMs) * 100 },
      ...{ p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) },
    });
    process.stderr.write('.');
  }
  return rows;
}

function isDone(order) {
  return order.then(
    () => true,
    (error) => {
      if (!/: 503 /.test(error.message)) throw error;
      return false;
    },
  );
}

/** One request after the other. */
async function waitsOf(linked, times, request) {
  const windows = [];
  await linked.calls();
  for (let turn = 0; turn < times; turn += 1) {
    const fromMs = monotonicMs();
    await request();
    windows.push({ fromMs, untilMs: monotonicMs() });
  }
  const calls = await linked.calls();
  const waits = windows.map(({ fromMs, untilMs }) => untilMs - fromMs);
  const added = windows.map((window, index) => waits[index] - busyIn(window, calls));
  const counts = windows.map((window) => calls.filter((call) => overlapMs(window, call) > 0).length);
  const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => quantile(waits, share));
  const [addedP50Ms, addedP99Ms] = [0.5, 0.99].map((share) => quantile(added, share));
  return { calls: quantile(counts, 0.5), p50Ms, p99Ms, addedP50Ms, addedP99Ms };
}

function busyIn(window, calls) {
  return calls.reduce((sum, call) => sum + overlapMs(window, call), 0);
}

function overlapMs(window, call) {
  return Math.max(0, Math.min(window.untilMs, call.untilMs) - Math.max(window.fromMs, call.fromMs));
}

/** Of the machine: the terminal's process has the same. */
function monotonicMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
