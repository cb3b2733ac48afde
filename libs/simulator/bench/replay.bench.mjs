// How fast the month of GBPUSD replays on one core, and whether memory stays flat over it.
// Run alone: node --expose-gc libs/simulator/bench/replay.bench.mjs [rounds]
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { generatedPrices } from '../../../scripts/launcher/prices.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');

/** Replays the month `rounds` times and returns the figures of the fastest and the slowest. */
export async function replayBench(rounds = 5) {
  const folder = await mkdtemp(join(tmpdir(), 'replay-bench-'));
  try {
    const outfile = join(folder, 'replay-run.cjs');
    const tsconfig = join(root, 'tsconfig.json');
    const entry = join(here, 'replay-run.ts');
    await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile,
      tsconfig,
      logLevel: 'error',
    });
    const { replayRun } = createRequire(pathToFileURL(outfile))(outfile);
    const files = await generatedPrices();
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await replayRun(files));
    runs.sort((a, b) => b.quotesPerSecond - a.quotesPerSecond);
    return { name: 'simulator replay, GBPUSD February 2023 (generated)', fastest: runs[0], slowest: runs.at(-1) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await replayBench(Number(process.argv[2] ?? 5)), null, 2));
}
