// `npm run simulator -- --port N`: serves the simulated broker to a gateway with TERMINAL_DRIVER=bridge.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');

await installWhatIsMissing();
await buildWhatIsMissing();
await import(`${root}/dist/libs/simulator/src/cli/main.js`);
