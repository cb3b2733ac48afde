// `npm run bench -- NAME [arguments]`: one measurement. Without a name: reads. Nothing here passes or fails by time, but for the limits
// that a measurement states itself.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpIfAsked } from '../scripts/launcher/help.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const benches = {
  reads: ['bench/gateway-reads.mjs'],
  all: ['bench/all.mjs'],
  attacks: ['bench/attacks.mjs'],
  backtest: ['bench/backtest.mjs'],
  daemon: ['bench/daemon.mjs'],
  data: ['bench/market-data.mjs'],
  fleet: ['bench/fleet.mjs'],
  keys: ['bench/journal-keys.mjs'],
  record: ['bench/record.mjs'],
  simulator: ['--expose-gc', 'libs/simulator/bench/replay.bench.mjs'],
  signals: ['bench/signals.mjs'],
  streams: ['bench/streams.mjs'],
};
helpIfAsked(import.meta.url, Object.keys(benches));
const [name = 'reads', ...given] = process.argv.slice(2);
if (!Object.hasOwn(benches, name)) {
  console.error(`there is no measurement "${name}": ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
const file = benches[name].at(-1);
const command = [...benches[name].slice(0, -1), join(root, file), ...given];
const { status, signal } = spawnSync(process.execPath, command, { stdio: 'inherit' });
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
