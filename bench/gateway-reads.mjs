// `npm run bench`: the gateway's reads against a bare Fastify server that returns the same bytes, in one run, as ratios.
// Figures on the terminal and in .data/bench/gateway-reads.json; nothing here passes or fails by time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { root } from '../scripts/launcher/commands.mjs';
import { demoSettings } from '../scripts/launcher/demo-settings.mjs';
import { installWhatIsMissing } from '../scripts/launcher/installation.mjs';
import { freePort } from '../scripts/launcher/ports.mjs';
import { Product } from '../scripts/launcher/product.mjs';
import { table } from './table.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const reads = [
  { name: 'health/live', path: '/health/live', connections: 50 },
  { name: 'account', path: '/account', connections: 50 },
  { name: 'symbol_info_tick', path: '/symbol_info_tick/EURUSD', connections: 50 },
  { name: 'get_positions (3 open)', path: '/get_positions', connections: 50 },
  { name: 'fetch_data_pos, 100 bars', path: '/fetch_data_pos', query: '?symbol=EURUSD&num_bars=100', connections: 50 },
  {
    name: 'fetch_data_pos, 10,000 bars',
    path: '/fetch_data_pos',
    query: '?symbol=EURUSD&num_bars=10000',
    connections: 10,
  },
].map((read, index) => ({ query: '', ...read, barePath: `/${index}` }));

await installWhatIsMissing();
await buildWhatIsMissing();
// Only now are its packages sure to be there.
const { load } = await import('./load.mjs');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const { settings } = demoSettings({ ...process.env, TERMINAL_API_PORT: String(await freePort()) }, folder);
const product = new Product(settings, join(folder, 'logs'));
let bare;
try {
  await product.startGateway();
  await openPositions(3);
  const answersFile = join(folder, 'answers.json');
  writeFileSync(answersFile, JSON.stringify(await Promise.all(reads.map(answerOf))));
  bare = fork(new URL('./bare-server.mjs', import.meta.url), [answersFile]);
  const [{ port }] = await once(bare, 'message');
  const results = [];
  for (const read of reads) results.push(await compare(read, `http://127.0.0.1:${port}${read.barePath}`));
  report(results);
} finally {
  bare?.disconnect();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function openPositions(count) {
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${product.url}/order`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${product.key}`,
        'content-type': 'application/json',
        'idempotency-key': `bench-${index}`,
      },
      body: JSON.stringify({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' }),
    });
    if (!response.ok) throw new Error(`no position to read: ${await response.text()}`);
  }
}

async function answerOf({ path, query }) {
  const response = await fetch(`${product.url}${path}${query}`, {
    headers: { authorization: `Bearer ${product.key}` },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { contentType: response.headers.get('content-type'), body: await response.text() };
}

/** Gateway and yardstick take turns, and the medians of the rounds are compared: a busy machine slows both. */
async function compare({ name, path, query, connections }, bareUrl) {
  const runs = { gateway: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    runs.bare.push(await load({ url: bareUrl, key: product.key, connections, seconds }));
    runs.gateway.push(await load({ url: `${product.url}${path}${query}`, key: product.key, connections, seconds }));
    process.stderr.write('.');
  }
  const [gateway, yardstick] = [runs.gateway, runs.bare].map(median);
  return { name, connections, gateway, bare: yardstick, ratio: gateway.perSecond / yardstick.perSecond };
}

function median(runs) {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}

function report(results) {
  const conditions = {
    node: process.version,
    processors: cpus().length,
    secondsPerRun: seconds,
    rounds,
    note: `Server and load generator share the ${cpus().length} processors: read the ratios, not the absolute figures.`,
  };
  process.stderr.write('\n');
  console.log(table(results));
  console.log(`\nMedian of ${rounds} rounds of ${seconds} s each, Node ${process.version}. ${conditions.note}`);
  const file = join(root, '.data', 'bench', 'gateway-reads.json');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ measuredAt: new Date().toISOString(), conditions, results }, null, 2)}\n`);
  console.log(`Written to ${file.replace(`${root}/`, '')}`);
}
