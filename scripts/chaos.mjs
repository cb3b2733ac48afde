// `npm run chaos -- --kills 500 --faults 200`: the crash test of the trade path, for as many kills as asked for, and for
// as many freezes, full disks, kills and shifts of the clock.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { buildWhatIsMissing } from './launcher/build.mjs';

const count = (standard) => ({ type: 'string', default: standard });
const { values } = parseArgs({ options: { kills: count('50'), faults: count('20') } });
if (!Object.values(values).every((value) => /^[1-9]\d*$/.test(value))) {
  console.error('usage: npm run chaos -- [--kills N] [--faults N]');
  process.exit(2);
}
await buildWhatIsMissing();
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url)), '--selectProjects', 'chaos'],
  { stdio: 'inherit', env: { ...process.env, CHAOS_KILLS: values.kills, CHAOS_FAULTS: values.faults } },
);
process.exitCode = status ?? 1;
