// `npm run audit:verify FILE`: checks an order audit log. Exit code 0 if it is consistent, else 1.
import { helpIfAsked } from './launcher/help.mjs';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
helpIfAsked(import.meta.url);
const { runBuilt } = await import('./launcher/built.mjs');
await runBuilt('apps/gateway/src/audit-verify/main.js');
