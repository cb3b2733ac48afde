// Bundles the page that the gateway serves at /console. `npm run build` calls it.
import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** @param target folder of index.html, console.js and console.css */
export async function writeConsolePage(root, target) {
  const sources = join(root, 'apps/gateway/console');
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
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
  appendFileSync(join(target, 'console.js'), licensesOf(root, Object.keys(metafile.inputs)));
  copyFileSync(join(sources, 'index.html'), join(target, 'index.html'));
}

/** The licenses of the bundled packages, which require that every copy contains them. */
function licensesOf(root, inputs) {
  const packages = inputs.flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []);
  const texts = [...new Set(packages)].map(
    (name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
  );
  return `/*\n${texts.join('\n')}*/\n`;
}
