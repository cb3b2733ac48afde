// `npm run simulator:fault -- latency 1500`: sets faults in the simulated broker of a running gateway, or in a served one.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');

await installWhatIsMissing();
await buildWhatIsMissing();
await import(`${root}/dist/libs/simulator/src/cli/fault-main.js`);
