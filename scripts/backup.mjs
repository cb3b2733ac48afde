// `npm run backup -- create DIR`: copies the state of a gateway, or restores it. See docs/questions/backup-and-restore.md.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { runBuilt } = await import('./launcher/built.mjs');
await runBuilt('apps/gateway/src/backup/main.js');
