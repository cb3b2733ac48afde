// What listeners of the event streams cost the gateway: memory and processor time with more and more of them, in one
// run. Nothing here passes or fails by time.
import { get } from 'node:http';
import { cpus } from 'node:os';
import { keep, StartedGateway } from './started-gateway.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const steps = [0, 100, 250, 500];
const symbols = ['EURUSD', 'GBPUSD', 'USDJPY', 'XAUUSD'];

const gateway = await StartedGateway.start();
const requests = [];
const received = { messages: 0, bytes: 0 };
/** When the first listener of trades got its last event of a position. */
let positionEventMs = 0;
let tradeListeners = 0;
try {
  const results = [];
  for (const listeners of steps) {
    // Half of them listen to quotes, half to trades.
    while (requests.length < listeners) {
      await listen(requests.length % 2 === 0 ? `/stream/ticks?symbols=${symbols}` : '/stream/trades');
    }
    results.push(await measure(listeners));
  }
  console.log('| listeners | processor % | resident MiB | messages/s | MiB/s | own trade to event, ms: p50 | p99 |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const { listeners, cpuPercent, residentMib, messagesPerSecond, mibPerSecond, eventMs } of results) {
    const cells = [listeners, cpuPercent.toFixed(1), residentMib.toFixed(0), messagesPerSecond.toFixed(0)];
    const waits = eventMs ? [eventMs.p50.toFixed(1), eventMs.p99.toFixed(1)] : ['', ''];
    console.log(`| ${[...cells, mibPerSecond.toFixed(2), ...waits].join(' | ')} |`);
  }
  keep('streams', { node: process.version, processors: cpus().length, seconds, symbols, results });
} finally {
  for (const request of requests) request.destroy();
  await gateway.stop();
}

function listen(path) {
  return new Promise((resolve, reject) => {
    const request = get(`${gateway.url}${path}`, { headers: gateway.headers, agent: false });
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.on('error', () => undefined);
      const isFirst = path === '/stream/trades' && tradeListeners++ === 0;
      response.on('data', (chunk) => {
        if (isFirst && chunk.includes('event: position\n')) positionEventMs = performance.now();
        received.bytes += chunk.length;
        for (let at = chunk.indexOf('\ndata: '); at >= 0; at = chunk.indexOf('\ndata: ', at + 1))
          received.messages += 1;
      });
      resolve();
    });
    requests.push(request);
  });
}

/** Trades go on meanwhile, so that both streams have something to say. */
async function measure(listeners) {
  await pause(2_000);
  const [before, counted] = [await gateway.usage(), { ...received }];
  const startMs = performance.now();
  let trades = 0;
  const waits = [];
  while (performance.now() - startMs < seconds * 1_000) {
    waits.push(...(await trade(`bench-${listeners}-${trades++}`)));
    await pause(200);
  }
  const took = (performance.now() - startMs) / 1_000;
  const after = await gateway.usage();
  return {
    listeners,
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / took) * 100,
    residentMib: after.residentMib,
    messagesPerSecond: (received.messages - counted.messages) / took,
    mibPerSecond: (received.bytes - counted.bytes) / 2 ** 20 / took,
    eventMs: tradeListeners > 0 ? quantiles(waits) : null,
  };
}

function quantiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Opens and closes a position. @returns the milliseconds from each request to its event, where a listener gets it */
async function trade(key) {
  const waits = [];
  const post = async (path, body, suffix) => {
    const sentMs = performance.now();
    const answer = await gateway.json(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${key}-${suffix}` },
      body: JSON.stringify(body),
    });
    if (tradeListeners > 0) {
      while (positionEventMs < sentMs && performance.now() - sentMs < 5_000) await pause(0);
      waits.push(positionEventMs - sentMs);
    }
    return answer;
  };
  const { result } = await post('/order', { symbol: 'EURUSD', volume: 0.01, type: 'BUY' }, 'open');
  await post('/close_position', { position: result.order }, 'close');
  return waits;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
