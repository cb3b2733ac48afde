// Big answers of the gateway: 10,000 bars against a bare Fastify server that sends the same prepared bytes or string, in
// one run, as ratios; and what a month of bars and ticks does to other requests. Nothing here passes or fails by time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep, StartedGateway } from './started-gateway.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const connections = 10;
const barsPath = '/fetch_data_pos?symbol=EURUSD&num_bars=10000';

const gateway = await StartedGateway.start();
const { load } = await import('./load.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'bench-answers-'));
let bare;
try {
  const ratios = await compareBars();
  console.log(`10,000 bars: ${ratios.gateway.toFixed(0)}/s`);
  console.log(`  bare Fastify with the bytes ready ${ratios.bytes.toFixed(0)}/s, ratio ${ratios.toBytes.toFixed(2)}`);
  console.log(
    `  bare Fastify with the string ready ${ratios.string.toFixed(0)}/s, ratio ${ratios.toString.toFixed(2)}`,
  );
  const spans = [];
  for (const span of monthsOfData()) spans.push(await underway(span));
  for (const span of spans) {
    console.log(
      `${span.name}: ${span.mib.toFixed(1)} MiB at ${(span.mib / span.seconds).toFixed(1)} MiB/s; meanwhile ` +
        `/health/live p50 ${span.p50Ms.toFixed(1)} p99 ${span.p99Ms.toFixed(1)} worst ${span.worstMs.toFixed(1)} ms; ` +
        `memory ${span.residentMib.toFixed(0)} MiB`,
    );
  }
  keep('market-data', { node: process.version, processors: cpus().length, seconds, rounds, ratios, spans });
} finally {
  bare?.disconnect();
  await gateway.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function compareBars() {
  const response = await fetch(`${gateway.url}${barsPath}`, { headers: gateway.headers });
  const answer = { contentType: response.headers.get('content-type'), body: await response.text() };
  const file = join(scratch, 'answers.json');
  writeFileSync(file, JSON.stringify([answer, { ...answer, asString: true }]));
  bare = fork(new URL('./bare-answers.mjs', import.meta.url), [file]);
  const [{ port }] = await once(bare, 'message');
  const urls = {
    bytes: `http://127.0.0.1:${port}/0`,
    string: `http://127.0.0.1:${port}/1`,
    gateway: `${gateway.url}${barsPath}`,
  };
  const runs = { bytes: [], string: [], gateway: [] };
  // They take turns, and medians are compared: a busy machine slows them all.
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, url] of Object.entries(urls)) {
      runs[name].push((await load({ url, key: gateway.key, connections, seconds })).perSecond);
      process.stderr.write('.');
    }
  }
  process.stderr.write('\n');
  const [bytes, string, own] = [median(runs.bytes), median(runs.string), median(runs.gateway)];
  return { bytes, string, gateway: own, toBytes: own / bytes, toString: own / string };
}

function monthsOfData() {
  const end = new Date();
  const start = new Date(end.getTime() - 30 * 86_400_000);
  const span = (from, to) => `symbol=EURUSD&${from}=${start.toISOString()}&${to}=${end.toISOString()}`;
  return [
    { name: 'a month of one-minute bars', path: `/fetch_data_range?${span('start', 'end')}` },
    { name: 'a month of ticks', path: `/copy_ticks_range?${span('from_date', 'to_date')}` },
  ];
}

/** Reads a span to its end while another client asks for something light, one request after the other. */
async function underway({ name, path }) {
  let reading = true;
  const startMs = performance.now();
  const bytes = read(path).finally(() => (reading = false));
  const latencies = [];
  let residentMib = 0;
  while (reading) {
    const askedMs = performance.now();
    await (await fetch(`${gateway.url}/health/live`)).arrayBuffer();
    latencies.push(performance.now() - askedMs);
    if (latencies.length % 200 === 1) residentMib = Math.max(residentMib, (await gateway.usage()).residentMib);
  }
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const took = (performance.now() - startMs) / 1_000;
  const figures = { p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1), residentMib };
  return { name, mib: (await bytes) / 2 ** 20, seconds: took, ...figures };
}

async function read(path) {
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
