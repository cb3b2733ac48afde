import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './commands.mjs';

/** The prices that the suites, the documents and `npm start -- --replay` use. */
export const usualPrices = { symbol: 'GBPUSD', period: '2023-02', seed: 1, folder: join(root, '.build', 'prices') };

/** Where the bars of bid and of ask of a period are. */
export function pricePaths({ symbol, period, folder } = usualPrices) {
  return ['bid', 'ask'].map((side) => join(folder, `${symbol.toLowerCase()}-m1-${side}-${period}.csv`));
}

/**
 * Generates the prices, unless the files are there and were made by this very generator from the same seed.
 * @returns the paths of bid and ask
 * @throws Error naming a symbol or a period that cannot be generated
 */
export async function generatedPrices(wanted = usualPrices) {
  const paths = pricePaths(wanted);
  const generator = await bundledGenerator();
  const stamp = `${createHash('sha256').update(generator).digest('hex')} ${wanted.seed}\n`;
  const stampFile = join(wanted.folder, `${wanted.symbol.toLowerCase()}-${wanted.period}.made-from`);
  if (textOf(stampFile) === stamp && paths.every((path) => existsSync(path))) return paths;
  const { generatedBars } = await import(`data:text/javascript;base64,${Buffer.from(generator).toString('base64')}`);
  const { bid, ask } = generatedBars(wanted);
  mkdirSync(wanted.folder, { recursive: true });
  writeWhole(paths[0], bid);
  writeWhole(paths[1], ask);
  writeWhole(stampFile, stamp);
  return paths;
}

/** From the sources, so that prices need no build of the product. */
async function bundledGenerator() {
  // Loaded only now: npm start installs the packages first.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [resolve(root, 'libs/simulator/src/market/generated/generated-bars.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    tsconfig: resolve(root, 'tsconfig.json'),
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** Two suites that start together write the same bytes, and neither reads half of them. */
function writeWhole(path, text) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
