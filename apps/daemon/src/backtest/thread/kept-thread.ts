import { url as inspectorUrl } from 'node:inspector';
import type { MessagePort } from 'node:worker_threads';
import { SystemClock } from '@libs/clock';
import type { BacktestResult } from '../backtest-result';
import type { Screening, Wanted } from '../kernel/screened';
import type { PortfolioResult } from '../portfolio-result';
import { BacktestThread, type BacktestThreadLimits } from './backtest-thread';
import { bundleBacktestThread } from './bundle-thread';
import type { PortfolioStart, RunStart } from './thread-messages';

/** Called now and then with how far a run is, 0 to 1. */
type Progress = (share: number) => void;

type Shown<Start> = Omit<Start, 'showsProgress'>;

const unseen: Progress = () => undefined;

/** A debugger may hold the strategy at a breakpoint for as long as its user reads: then nothing ends it. */
export function threadLimits(): BacktestThreadLimits {
  return { watchdogMs: inspectorUrl() === undefined ? 30_000 : null, maxHeapMb: 1_024, maxExternalMb: 1_024 };
}

/** A thread for many backtests, one after the other: it is started with the first, and again after one that failed. */
export class KeptThread {
  private thread: BacktestThread | null = null;

  /**
   * @param limits null for {@link threadLimits} at the start of each thread
   * @param compiledPort for the first thread, as {@link BacktestThread} takes it
   */
  constructor(
    private readonly limits: BacktestThreadLimits | null = null,
    private readonly compiledPort: MessagePort | null = null,
  ) {}

  /** Runs a backtest. @param onProgress null: the progress is not shown @throws as {@link BacktestThread.run} */
  run(start: Shown<RunStart>, onProgress: Progress | null): Promise<BacktestResult> {
    const showsProgress = onProgress !== null;
    return this.use((thread) => thread.run({ ...start, showsProgress }, onProgress ?? unseen));
  }

  /** Runs the backtest of a portfolio. @throws as {@link BacktestThread.runPortfolio} */
  runPortfolio(start: Shown<PortfolioStart>, onProgress: Progress | null): Promise<PortfolioResult> {
    const showsProgress = onProgress !== null;
    return this.use((thread) => thread.runPortfolio({ ...start, showsProgress }, onProgress ?? unseen));
  }

  /** Runs a strategy in the kernel. @throws as {@link BacktestThread.screen} */
  screen(start: Shown<RunStart>, wanted: Wanted): Promise<Screening> {
    return this.use((thread) => thread.screen({ screen: { ...start, showsProgress: false }, wanted }));
  }

  private async use<Result>(run: (thread: BacktestThread) => Promise<Result>): Promise<Result> {
    const bundle = await bundleBacktestThread();
    if (this.thread === null || this.thread.hasEnded) {
      this.thread = new BacktestThread(bundle, this.limits ?? threadLimits(), new SystemClock(), this.compiledPort);
    }
    try {
      return await run(this.thread);
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
