// `npm run build:client`: the gateway's client as a package for other people's bots, for `import` and for `require`.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeClientTypes } from './client-types.mjs';
import { helpIfAsked } from './launcher/help.mjs';

helpIfAsked(import.meta.url);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'libs/gateway-client');
rmSync(join(folder, 'dist'), { recursive: true, force: true });

for (const [format, ending] of [
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
]) {
  await build({
    entryPoints: [join(folder, 'src/index.ts')],
    outfile: join(folder, `dist/index.${ending}`),
    format,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
  });
}
await writeClientTypes(folder, join(folder, 'dist/types'));
