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
  for (const { name, mib, seconds: took, lagP99Ms, lagMaxMs, residentMib } of spans) {
    console.log(
      `${name}: ${mib.toFixed(1)} MiB at ${(mib / took).toFixed(1)} MiB/s; event loop late by p99 ${lagP99Ms.toFixed(1)} ` +
        `worst ${lagMaxMs.toFixed(1)} ms; memory ${residentMib.toFixed(0)} MiB`,
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

/** Reads a span to its end twice, the second time with the simulated prices made already, and asks how late the loop was. */
async function underway({ name, path }) {
  await read(path);
  await gateway.usage();
  const startMs = performance.now();
  const bytes = await read(path);
  const took = (performance.now() - startMs) / 1_000;
  const { residentMib, lagP99Ms, lagMaxMs } = await gateway.usage();
  return { name, mib: bytes / 2 ** 20, seconds: took, residentMib, lagP99Ms, lagMaxMs };
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
