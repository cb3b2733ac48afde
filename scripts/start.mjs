// `npm start`: everything a fresh clone needs, then the gateway and the daemon. Uses nothing but Node itself.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
// Loaded only now, so that a Node too old for it still gets to say so in words.
import('./launcher/start-product.mjs').then(({ startProduct }) => startProduct(process.argv.slice(2)));
