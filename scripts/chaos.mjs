// `npm run chaos -- --kills 500 --faults 200`: the crash test of the trade path, for as many kills as asked for, and for
// as many freezes, full disks, kills and shifts of the clock. `npm run chaos -- --fleet --disturbances 50`: two daemons and
// their PostgreSQL, over as many kills, pauses, partitions and outages.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { buildWhatIsMissing } from './launcher/build.mjs';

/** Ends a run that hangs; as many strikes as are asked for take their time. */
const dayMs = 24 * 3_600_000;
const count = (standard) => ({ type: 'string', default: standard });
const counts = { kills: count('50'), faults: count('20'), disturbances: count('20') };

const usage = 'usage: npm run chaos -- [--kills N] [--faults N], or --fleet [--disturbances N]';
if (process.argv.includes('--help')) {
  console.log(usage);
  process.exit(0);
}

function refuse(problem) {
  console.error(`${problem}\n${usage}`);
  process.exit(2);
}

function valuesOf() {
  try {
    return parseArgs({ options: { ...counts, fleet: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    return refuse(error.message);
  }
}

const values = valuesOf();
for (const name of Object.keys(counts)) {
  if (!/^[1-9]\d*$/.test(values[name])) refuse(`--${name} must be a whole number above 0, not ${values[name]}`);
}
await buildWhatIsMissing();
const path = values.fleet ? 'test/drills/fleet-chaos' : 'test/chaos';
const { status } = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url)),
    '--runInBand',
    `--testTimeout=${dayMs}`,
    path,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...{ CHAOS_KILLS: values.kills, CHAOS_FAULTS: values.faults, CHAOS_FLEET: values.disturbances },
    },
  },
);
process.exitCode = status ?? 1;
