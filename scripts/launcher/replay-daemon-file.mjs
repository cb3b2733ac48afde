import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './commands.mjs';

const shipped = join(root, 'strategies', 'replay.yaml');

/**
 * Writes the daemon file of a replay: the strategy of strategies/replay.yaml once for each replayed symbol, which share
 * its capital. Returns the file's path.
 */
export async function replayDaemonFile(symbols, folder) {
  // A package: loaded only now, when the packages are installed.
  const { parse, stringify } = await import('yaml');
  const file = parse(readFileSync(shipped, 'utf8'));
  const [model] = file.strategies;
  const strategies = symbols.map((symbol, index) => ({
    ...model,
    name: `ema-${symbol.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-')}`,
    module: resolve(shipped, '..', model.module),
    magic: model.magic + index,
    streams: { main: `demo:${symbol}@M1` },
    capital: model.capital / symbols.length,
  }));
  const path = join(folder, 'replay.yaml');
  writeFileSync(
    path,
    `# Generated for this replay from strategies/replay.yaml.\n${stringify({ ...file, strategies })}`,
  );
  return path;
}
