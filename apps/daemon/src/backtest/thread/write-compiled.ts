import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { generatedBars } from '@libs/simulator';
import { bundleStrategy, entries, type Bundle } from '../../strategies/strategy-bundler';
import { runBacktest, type BacktestOptions } from '../run-backtest';
import { bundleBacktestThread, compiledPath } from './bundle-thread';
import { compiledFile } from './entry-code';
import { KeptThread } from './kept-thread';
import { compiledContext, StrategyContext } from './strategy-context';

const sampled: Omit<BacktestOptions['spec'], 'module'> = {
  name: 'sample',
  magic: 1,
  capital: 10_000,
  params: {},
  onMismatch: 'halt',
  workerGroup: null,
  portfolio: null,
  streams: [{ alias: 'main', broker: 'backtest', symbol: 'EURUSD', timeframe: 'M1' }],
  risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
};

/** A day: enough for the functions of a trade to run. */
const sampledPrices = { symbol: 'EURUSD', period: '2024-01-09', seed: 1 };

/**
 * Writes the functions of both entries that a backtest compiles: a part of the build, so that no backtest has to compile them.
 * @param module a strategy file that trades on EURUSD
 */
export async function writeCompiled(module: string): Promise<void> {
  const { thread, context } = await bundleBacktestThread();
  const bundle = await bundleStrategy(module);
  writeFileSync(compiledPath(entries.backtest), compiledFile(thread.text, await compiledByRun(module, bundle)));
  const { params, streams, name } = sampled;
  StrategyContext.load(context, { ...bundle, name, params, streams, idPrefix: '', state: null });
  writeFileSync(compiledPath(entries.context), compiledFile(context.text, compiledContext(context)));
}

/** The functions of the thread that are compiled after a backtest over a day. */
async function compiledByRun(module: string, bundle: Bundle): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'sample-prices-'));
  const { port1, port2 } = new MessageChannel();
  const kept = new KeptThread(null, port2);
  try {
    const { bid, ask } = generatedBars(sampledPrices);
    const files = [join(folder, 'eurusd-m1-bid.csv'), join(folder, 'eurusd-m1-ask.csv')];
    files.forEach((path, side) => writeFileSync(path, side === 0 ? bid : ask));
    await runBacktest({ spec: { ...sampled, module }, files, bundle, fromMs: null, toMs: null }, kept);
    port1.postMessage(null);
    const [compiled] = (await once(port1, 'message')) as [Uint8Array];
    return compiled;
  } finally {
    await kept.end();
    port1.close();
    rmSync(folder, { recursive: true });
  }
}
