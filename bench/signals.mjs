// How long a delivery of an alert takes to be answered, while each call of the terminal takes 300 ms. Nothing here passes or
// fails by time. BENCH_ALERTS (2000), BENCH_SENDERS (8): deliveries under way at one time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinkedGateway } from './all/linked-gateway.mjs';
import { keep } from './started-gateway.mjs';

const alerts = Number(process.env.BENCH_ALERTS ?? 2_000);
const senders = Number(process.env.BENCH_SENDERS ?? 8);
const callMs = 300;
const secret = 'a-secret-of-the-measurement';
const folder = mkdtempSync(join(tmpdir(), 'bench-signals-'));
writeFileSync(join(folder, 'secret'), secret);
const source = [
  ...[`secret_file: ${folder}/secret`, 'magic: 7', 'symbols: { EURUSD: EURUSD, GBPUSD: GBPUSD }', 'max_lots: 1'],
  ...['max_open_lots: 1000000', 'max_per_minute: 100000'],
];
const file = join(folder, 'signals.yaml');
writeFileSync(file, `sources: { trend: { ${source.join(', ')} } }\n`);
const linked = await LinkedGateway.start({ SIGNALS_FILE: file });
try {
  await linked.takeFor(callMs);
  let next = 0;
  const waits = [];
  const send = async () => {
    for (let id = next++; id < alerts; id = next++) {
      const body = `buy ${id % 2 === 0 ? 'EURUSD' : 'GBPUSD'} lots=0.01 id=${id}`;
      const beganMs = performance.now();
      const { status } = await fetch(`${linked.gateway.url}/signals/trend/${secret}`, { method: 'POST', body });
      if (status !== 202) throw new Error(`answered ${status}`);
      waits.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  waits.sort((a, b) => a - b);
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => waits[Math.ceil(waits.length * part) - 1]);
  console.log('| alerts | senders | call of the terminal, ms | answer, ms: p50 | p99 | longest |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  const figures = [p50, p99, most].map((ms) => ms.toFixed(1));
  console.log(`| ${[alerts, senders, callMs, ...figures].join(' | ')} |`);
  keep('signals', { node: process.version, alerts, senders, callMs, p50, p99, most });
} finally {
  await linked.stop();
  rmSync(folder, { recursive: true, force: true });
}
