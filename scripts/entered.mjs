// `node scripts/entered.mjs`, after `npm run build`: how many files and functions of the gateway an order enters, and a replay of its key;
// and those of the daemon's main thread that a signal of a strategy enters, from the quote until the request leaves.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartedGateway } from '../bench/started-gateway.mjs';
import { root } from './launcher/commands.mjs';
import { tradeWing } from './launcher/trade-wing.mjs';

const require = createRequire(import.meta.url);
const built = (path, program = 'gateway') => require(join(root, `dist/apps/${program}/src`, path));
const folder = mkdtempSync(join(tmpdir(), 'entered-'));
const { createGateway } = built('gateway.app.js');
const { readGatewaySettings } = built('gateway.config.js');
const key = 'entered-key';
/** Buys every few ticks. */
const rhythm = `import { defineStrategy } from '@libs/strategy';

class NoParams {}

export default defineStrategy({
  version: 1,
  params: NoParams,
  streams: ['main'],
  create: ({ streams: { main } }) => {
    let ticks = 0;
    return {
      onTick(tick, trade) {
        if (++ticks % 12 === 0) trade.buy(main, { volume: 0.01 });
      },
    };
  },
});
`;
const settings = readGatewaySettings({
  ...{ API_KEY: key, SIM_HOURS: 'always', SHUTDOWN_DRAIN_SECONDS: '0', STATE_DIR: join(folder, 'state') },
  ...{ ORDER_AUDIT_FILE: join(folder, 'audit.jsonl'), KILL_SWITCH_FILE: join(folder, 'kill') },
});
const app = await createGateway(settings, require('pino')({ level: 'silent' }));
await app.init();
const headers = { authorization: `Bearer ${key}` };
const ask = (method, url, own = {}, payload) => app.inject({ method, url, headers: { ...headers, ...own }, payload });
while ((await ask('GET', '/health/ready')).statusCode !== 200) await setTimeout(50);

const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
const place = (name) => ask('POST', '/order', { 'idempotency-key': name }, order);
// What happens for the first request only, and what happens without one.
await place('first');
await place('first');
const idle = await entered(() => setTimeout(1_500));
const rows = [
  ['an order', await entered(() => place('second'), 200)],
  ['a replay of its key', await entered(() => place('second'), 200)],
];
console.log(
  '| request | files of the wing | functions | files of the gateway | with libraries |\n|---|---|---|---|---|',
);
for (const [name, found] of rows) {
  const own = [...found].filter((one) => !idle.has(one));
  const files = new Set(own.map((one) => one.split(' ')[0]));
  const inWing = own.filter((one) => tradeWing.some((folder) => one.startsWith(`${folder}/`)));
  const inGateway = [...files].filter((file) => file.startsWith('apps/'));
  const figures = [new Set(inWing.map((one) => one.split(' ')[0])).size, inWing.length, inGateway.length, files.size];
  console.log(`| ${name} | ${figures.join(' | ')} |`);
  if (process.argv.includes('--files'))
    console.log(
      [...files]
        .sort()
        .map((file) => `  ${file}`)
        .join('\n'),
    );
}
await app.close();
const signal = [...(await enteredBySignal())];
const filesOf = (some) => [...new Set(some.map((one) => one.split(' ')[0]))];
const inFolder = (some, path) => some.filter((file) => file.startsWith(path)).length;
const files = filesOf(signal);
console.log('\n| signal | files | functions | in core | in libraries |\n|---|---|---|---|---|');
const places = [inFolder(files, 'apps/daemon/src/core/'), inFolder(files, 'libs/')];
console.log(`| of a strategy | ${files.length} | ${signal.length} | ${places.join(' | ')} |`);
if (process.argv.includes('--files')) for (const file of files.sort()) console.log(`  ${file}`);
profiler.disconnect();
rmSync(folder, { recursive: true });
process.exit();

/** The functions that each of some signals enters, from the quote until the first byte of the request leaves. */
async function enteredBySignal() {
  const gateway = await StartedGateway.start({ SIM_HOURS: 'always', SIM_SPEED: '20' });
  const proxy = await requestsTo(new URL(gateway.url).port);
  const module = join(folder, 'rhythm.ts');
  writeFileSync(module, rhythm);
  const config = join(folder, 'daemon.yaml');
  const gateways = { demo: { url: proxy.url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } };
  const strategies = [{ name: 'rhythm', module, magic: 7, capital: 10_000, streams: { main: 'demo:EURUSD@M1' } }];
  writeFileSync(config, JSON.stringify({ gateways, strategies }));
  const environment = { API_KEY: gateway.key };
  const daemonSettings = built('daemon.config.js', 'daemon').readDaemonSettings(environment);
  const { readDaemonFile } = built('daemon-file/read-daemon-file.js', 'daemon');
  const configured = { readFile: () => readDaemonFile(config, environment), apiKey: () => gateway.key };
  const start = { settings: daemonSettings, configured, stateDir: join(folder, 'daemon'), host: '127.0.0.1' };
  const { daemon } = await built('daemon.app.js', 'daemon').createDaemon(start, require('pino')({ level: 'silent' }));
  await daemon.verifyGateways();
  await daemon.deploy();
  while (daemon.strategies[0].state !== 'running') await setTimeout(50);
  const signals = [];
  for (let count = 0; count < 6; count++) signals.push(await functionsUntil(proxy.nextOrder()));
  await daemon.stop();
  proxy.close();
  await gateway.stop();
  // What happens only once, or by the clock, is not part of every signal.
  const [first, ...others] = signals.slice(1);
  return new Set([...first].filter((one) => others.every((other) => other.has(one))));
}

/** The functions of the last moments before an order. */
async function functionsUntil(order) {
  const moments = [];
  let hasCome = false;
  order.then(() => (hasCome = true));
  while (!hasCome) {
    await Promise.race([order, setTimeout(20)]);
    const { result } = await profiler.post('Profiler.takePreciseCoverage');
    moments.push(functionsOf(result, ['daemon', 'libs']));
  }
  return new Set(moments.slice(-3).flatMap((some) => [...some]));
}

/** Passes connections on to a port; `nextOrder` resolves when the next order passes. */
async function requestsTo(port) {
  let seen = () => undefined;
  const server = createServer((socket) => {
    const target = connect(port, '127.0.0.1');
    socket.on('data', (bytes) => {
      if (bytes.includes('POST /order ')) seen();
      target.write(bytes);
    });
    target.pipe(socket);
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ])
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    nextOrder: () => new Promise((resolve) => (seen = resolve)),
    close: () => server.close(),
  };
}

/** The functions of ours that ran during a task, each with its file. */
async function entered(task, status) {
  await profiler.post('Profiler.takePreciseCoverage');
  const answer = await task();
  if (status !== undefined && answer.statusCode !== status)
    throw new Error(`answered ${answer.statusCode}: ${answer.body}`);
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  return functionsOf(result, ['gateway', 'libs']);
}

function functionsOf(result, parts) {
  const folders = parts.map((part) => (part === 'libs' ? '/dist/libs/' : `/dist/apps/${part}/`));
  return new Set(
    result
      .filter(({ url }) => folders.some((one) => url.includes(one)))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges, functionName }) => functionName !== '' && ranges[0].count > 0)
          .map(
            ({ functionName, ranges }) =>
              `${url.slice(url.indexOf('/dist/') + 6)} ${functionName}@${ranges[0].startOffset}`,
          ),
      ),
  );
}
