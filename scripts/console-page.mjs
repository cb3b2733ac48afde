// Bundles the page that the gateway serves at /console. `npm run build` calls it.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** @param target folder of index.html, console.js and console.css */
export async function writeConsolePage(root, target) {
  const sources = join(root, 'apps/gateway/console');
  await build({
    entryPoints: { console: join(sources, 'main.tsx') },
    outdir: target,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(sources, 'tsconfig.json'),
    logLevel: 'silent',
  });
  copyFileSync(join(sources, 'index.html'), join(target, 'index.html'));
}
