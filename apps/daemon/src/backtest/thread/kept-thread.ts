import { url as inspectorUrl } from 'node:inspector';
import { SystemClock } from '@libs/clock';
import type { BacktestResult } from '../backtest-result';
import { BacktestThread, type BacktestThreadLimits } from './backtest-thread';
import { bundleBacktestThread } from './bundle-thread';
import type { RunStart } from './thread-messages';

/** A debugger may hold the strategy at a breakpoint for as long as its user reads: then nothing ends it. */
export function threadLimits(): BacktestThreadLimits {
  return { watchdogMs: inspectorUrl() === undefined ? 30_000 : null, maxHeapMb: 1_024, maxExternalMb: 1_024 };
}

/** A thread for many backtests, one after the other: it is started with the first, and again after one that failed. */
export class KeptThread {
  private thread: BacktestThread | null = null;

  /** Runs a backtest. @throws as {@link BacktestThread.run} */
  async run(start: Omit<RunStart, 'contextCode'>, onProgress: (share: number) => void): Promise<BacktestResult> {
    const { thread: entry, context: contextCode } = await bundleBacktestThread();
    if (this.thread === null || this.thread.hasEnded) {
      this.thread = new BacktestThread(entry, threadLimits(), new SystemClock());
    }
    try {
      return await this.thread.run({ ...start, contextCode }, onProgress);
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
