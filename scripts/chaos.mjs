// `npm run chaos -- --kills 500`: the crash test of the trade path, for as many kills as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { buildWhatIsMissing } from './launcher/build.mjs';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '50' } } });
if (!/^[1-9]\d*$/.test(values.kills)) {
  console.error('usage: npm run chaos -- --kills N');
  process.exit(2);
}
await buildWhatIsMissing();
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url)), '--selectProjects', 'chaos'],
  { stdio: 'inherit', env: { ...process.env, CHAOS_KILLS: values.kills } },
);
process.exitCode = status ?? 1;
