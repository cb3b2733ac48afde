// `node scripts/entered.mjs`, after `npm run build`: how many files and functions of the gateway an order enters, and a replay of its key.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { root } from './launcher/commands.mjs';

const require = createRequire(import.meta.url);
const built = (path) => require(join(root, 'dist/apps/gateway/src', path));
const folder = mkdtempSync(join(tmpdir(), 'entered-'));
const { createGateway } = built('gateway.app.js');
const { readGatewaySettings } = built('gateway.config.js');
const key = 'entered-key';
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
const wing =
  /^apps\/gateway\/src\/(trade-core|trade-journal|audit|reconciliation|fences|entry-limits)\/|^libs\/request-life\//;
console.log(
  '| request | files of the wing | functions | files of the gateway | with libraries |\n|---|---|---|---|---|',
);
for (const [name, found] of rows) {
  const own = [...found].filter((one) => !idle.has(one));
  const files = new Set(own.map((one) => one.split(' ')[0]));
  const inWing = own.filter((one) => wing.test(one));
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
profiler.disconnect();
await app.close();
rmSync(folder, { recursive: true });
process.exit();

/** The functions of ours that ran during a task, each with its file. */
async function entered(task, status) {
  await profiler.post('Profiler.takePreciseCoverage');
  const answer = await task();
  if (status !== undefined && answer.statusCode !== status)
    throw new Error(`answered ${answer.statusCode}: ${answer.body}`);
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  return new Set(
    result
      .filter(({ url }) => url.includes('/dist/apps/gateway/') || url.includes('/dist/libs/'))
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
