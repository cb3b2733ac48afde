// `npm run simulator -- --port N`: serves the simulated broker to a gateway with TERMINAL_DRIVER=bridge.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { runBuilt } = await import('./launcher/built.mjs');
await runBuilt('libs/simulator/src/cli/main.js');
