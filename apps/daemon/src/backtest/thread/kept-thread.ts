import { url as inspectorUrl } from 'node:inspector';
import { SystemClock } from '@libs/clock';
import type { BacktestResult } from '../backtest-result';
import type { PortfolioResult } from '../portfolio-result';
import { BacktestThread, type BacktestThreadLimits } from './backtest-thread';
import { bundleBacktestThread } from './bundle-thread';
import type { PortfolioStart, RunStart } from './thread-messages';

/** A debugger may hold the strategy at a breakpoint for as long as its user reads: then nothing ends it. */
export function threadLimits(): BacktestThreadLimits {
  return { watchdogMs: inspectorUrl() === undefined ? 30_000 : null, maxHeapMb: 1_024, maxExternalMb: 1_024 };
}

/** A thread for many backtests, one after the other: it is started with the first, and again after one that failed. */
export class KeptThread {
  private thread: BacktestThread | null = null;

  /** @param limits null for {@link threadLimits} at the start of each thread */
  constructor(private readonly limits: BacktestThreadLimits | null = null) {}

  /** Runs a backtest. @throws as {@link BacktestThread.run} */
  run(start: Omit<RunStart, 'contextCode'>, onProgress: (share: number) => void): Promise<BacktestResult> {
    return this.use((thread, contextCode) => thread.run({ ...start, contextCode }, onProgress));
  }

  /** Runs the backtest of a portfolio. @throws as {@link BacktestThread.runPortfolio} */
  runPortfolio(
    start: Omit<PortfolioStart, 'contextCode'>,
    onProgress: (share: number) => void,
  ): Promise<PortfolioResult> {
    return this.use((thread, contextCode) => thread.runPortfolio({ ...start, contextCode }, onProgress));
  }

  private async use<Result>(run: (thread: BacktestThread, contextCode: string) => Promise<Result>): Promise<Result> {
    const { thread: entry, context: contextCode } = await bundleBacktestThread();
    if (this.thread === null || this.thread.hasEnded) {
      this.thread = new BacktestThread(entry, this.limits ?? threadLimits(), new SystemClock());
    }
    try {
      return await run(this.thread, contextCode);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    const { thread } = this;
    this.thread = null;
    await thread?.end();
  }
}
