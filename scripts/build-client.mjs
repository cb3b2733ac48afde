// `npm run build:client`: the gateway's client as a package for other people's bots, for `import` and for `require`.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const types = spawnSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
process.exitCode = types.status ?? 1;
