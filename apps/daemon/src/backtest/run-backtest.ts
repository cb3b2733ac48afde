import { SystemClock } from '@libs/clock';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { bundleStrategy, bundleWorker } from '../strategies/strategy-bundler';
import { StrategyThread } from '../strategies/strategy-thread';
import { Backtest, type BacktestResult } from './backtest';
import { BacktestMarket } from './backtest-market';
import type { Period } from './period';

export type { BacktestResult, BarPoint, EquityPoint } from './backtest';

export interface BacktestOptions extends Period {
  /** The strategy as the configuration would have it; its streams' broker is `backtest`. */
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  /** Settings of the simulated broker by their names, such as SIM_LEVERAGE. */
  readonly broker?: Readonly<Record<string, string>>;
  /** Told now and then how far it is, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

const watchdogMs = 30_000;
const maxHeapMb = 256;

/**
 * Runs a strategy over recorded prices: the same file, thread, books and rules as live, the simulated broker in this
 * process, and market time as the only time.
 * @throws StrategyRefusedError, StrategyThrewError, ThreadLostError, or an error naming what cannot be used
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  const { spec, files, fromMs, toMs, broker = {}, onProgress = () => undefined } = options;
  const thread = new StrategyThread(await bundleWorker(), { watchdogMs, maxHeapMb }, new SystemClock());
  try {
    const bundle = await bundleStrategy(spec.module);
    const { name, params, streams } = spec;
    const loaded = await thread.load({ name, ...bundle, params, streams, idPrefix: '' });
    const { warmupBars } = loaded;
    const balance = spec.capital;
    const market = await BacktestMarket.open({ files, streams, fromMs, toMs, warmupBars, balance, broker });
    try {
      return await new Backtest(spec, thread, market, loaded).run(onProgress);
    } finally {
      await market.close();
    }
  } finally {
    await thread.end();
  }
}
