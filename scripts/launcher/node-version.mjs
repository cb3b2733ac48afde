import { readFileSync } from 'node:fs';

/** Ends the process with a sentence when this Node is older than package.json's `engines` asks for. */
export function requireNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const wanted = engines.node.replace(/^\D+/, '');
  if (isAtLeast(process.versions.node, wanted)) return;
  console.error(`This needs Node ${wanted} or newer; this is Node ${process.versions.node}. See https://nodejs.org`);
  process.exit(1);
}

function isAtLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) => text.split('.').map(Number));
  const differing = want.findIndex((part, index) => part !== have[index]);
  return differing === -1 || have[differing] > want[differing];
}
