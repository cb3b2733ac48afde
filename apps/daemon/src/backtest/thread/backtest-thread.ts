import { Worker, type MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '@libs/clock';
import { SettingRefused, SettingsError } from '@libs/settings';
import { StrategyRefusedError, ThreadLostError } from '../../strategies/strategy-thread';
import type { BacktestResult } from '../backtest-result';
import { StrategyThrewError } from '../strategy-threw-error';
import { unpackedResult } from '../packed-result';
import { BacktestRefusedError } from '../period';
import { unpackedPortfolio, type PortfolioResult } from '../portfolio-result';
import { StrategiesRefusedError } from '../strategies-refused-error';
import type { ThreadBundle } from './bundle-thread';
import type { Screening } from '../kernel/screened';
import type { Failure, FromThread, PortfolioStart, RunStart, ScreenStart, ThreadStart } from './thread-messages';

export interface BacktestThreadLimits {
  /** How long the strategy may take for one event before the thread is ended; null for as long as it takes. */
  readonly watchdogMs: number | null;
  /** Most heap of the whole run: of the strategy, the broker's books and the results. */
  readonly maxHeapMb: number;
  /** Most memory that strategy and results may allocate outside of the heap, besides the prices. */
  readonly maxExternalMb: number;
}

/** Checks of the watchdog within the longest time of one event. */
const looks = 20;

/**
 * A thread that runs backtests, one at a time, each synchronously. The caller's thread stays free, and ends a strategy that
 * does not return. From one backtest to the next the thread keeps its compiled code and the prices.
 */
export class BacktestThread {
  private readonly pulse = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  /** Whether it can run no more backtests. */
  hasEnded = false;
  private readonly worker: Worker;
  private running: {
    readonly onMessage: (message: FromThread) => void;
    readonly lose: (problem: string) => void;
  } | null = null;

  /** @param compiledPort see {@link ThreadStart} */
  constructor(
    bundle: ThreadBundle,
    private readonly limits: BacktestThreadLimits,
    private readonly clock: Clock,
    compiledPort: MessagePort | null = null,
  ) {
    const { maxHeapMb, maxExternalMb } = limits;
    const maxExternalBytes = maxExternalMb * 1024 * 1024;
    this.worker = new Worker(threadLoader, {
      eval: true,
      env: {},
      stdin: false,
      workerData: { pulse: this.pulse, maxExternalBytes, ...bundle, compiledPort } satisfies ThreadStart,
      transferList: compiledPort === null ? [] : [compiledPort],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
    });
    this.worker.on('message', (message: FromThread) => this.running?.onMessage(message));
    this.worker.on('error', (error) => this.running?.lose(error.message));
    this.worker.on('exit', (code) => {
      this.hasEnded = true;
      this.running?.lose(`the strategy's thread ended with code ${code}`);
    });
  }

  /**
   * Runs one backtest. After one that failed the thread must be ended.
   * @throws what ended the backtest: StrategyRefusedError, StrategyThrewError, ThreadLostError, or an error naming what
   *   cannot be used
   */
  run(start: RunStart, onProgress: (share: number) => void): Promise<BacktestResult> {
    return this.outcome(start, onProgress, (message) =>
      message.type === 'done' ? unpackedResult(message.result) : null,
    );
  }

  /** Runs the backtest of a portfolio, as {@link run}. @throws also StrategiesRefusedError */
  runPortfolio(start: PortfolioStart, onProgress: (share: number) => void): Promise<PortfolioResult> {
    return this.outcome(start, onProgress, (message) =>
      message.type === 'portfolio done' ? unpackedPortfolio(message.result) : null,
    );
  }

  /** Runs a strategy in the kernel, as {@link run}. */
  screen(start: ScreenStart): Promise<Screening> {
    return this.outcome(
      start,
      () => undefined,
      (message) => (message.type === 'screened' ? message.screening : null),
    );
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private outcome<Result>(
    start: RunStart | PortfolioStart | ScreenStart,
    onProgress: (share: number) => void,
    resultOf: (message: FromThread) => Result | null,
  ): Promise<Result> {
    const { watchdogMs } = this.limits;
    const watchdog = watchdogMs === null ? null : new Watchdog(new Int32Array(this.pulse), watchdogMs, this.clock);
    const outcome = new Promise<Result>((resolve, reject) => {
      const lose = (problem: string): void => reject(this.lost(problem, start));
      this.running = { onMessage, lose };
      watchdog?.start(() => lose(`no answer within ${watchdogMs} ms: the thread was ended`));
      this.worker.postMessage(start);

      function onMessage(message: FromThread): void {
        if (message.type === 'progress') return onProgress(message.share);
        if (message.type === 'failed') return reject(errorOf(message.failure));
        const result = resultOf(message);
        if (result !== null) resolve(result);
      }
    });
    return outcome.finally(() => {
      watchdog?.stop();
      this.running = null;
    });
  }

  /** The error of a lost thread. In a portfolio it names the strategy that ran last. */
  private lost(problem: string, start: RunStart | PortfolioStart | ScreenStart): ThreadLostError {
    if ('screen' in start) return this.lost(problem, start.screen);
    if ('spec' in start) return new ThreadLostError(problem, start.spec.name);
    const name = start.strategies[Atomics.load(new Int32Array(this.pulse), 1)]?.spec.name ?? start.portfolio.name;
    return new ThreadLostError(`${name}: ${problem}`, name);
  }
}

/** Notices a strategy that does not return: its pulse stays the same, and odd. */
class Watchdog {
  private timer: Timer | null = null;
  private seen = 0;
  private sinceMs = 0;

  constructor(
    private readonly pulse: Int32Array,
    private readonly limitMs: number,
    private readonly clock: Clock,
  ) {}

  start(onHang: () => void): void {
    this.timer = this.clock.setTimer(this.limitMs / looks, () => {
      const beat = Atomics.load(this.pulse, 0);
      const nowMs = this.clock.monotonicMs();
      const isIdle = beat % 2 === 0;
      if (isIdle || beat !== this.seen) [this.seen, this.sinceMs] = [beat, nowMs];
      if (nowMs - this.sinceMs >= this.limitMs) onHang();
      else this.start(onHang);
    });
  }

  stop(): void {
    this.timer?.cancel();
  }
}

function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'strategy refused':
      return new StrategyRefusedError(failure.message);
    case 'strategy threw':
      return new StrategyThrewError(failure.message);
    case 'backtest refused':
      return new BacktestRefusedError(failure.message);
    case 'setting':
      return new SettingRefused(failure.message);
    case 'settings':
      return new SettingsError(failure.problems);
    case 'strategies refused':
      return new StrategiesRefusedError(failure.problems);
    case 'bug':
      return new Error(failure.message);
  }
}

/**
 * What the thread runs first. It runs the bundled entry together with its compiled functions, which `eval` does not take. Frames
 * of the entry keep the name that they have in an evaluated text. A message on the port is answered with the functions that have
 * been compiled by then.
 */
export const threadLoader = `
const { Script } = require('node:vm');
const { thread, compiledPort } = require('node:worker_threads').workerData;
const script = new Script('((require, module, exports) => {' + thread.text + '\\n})', {
  filename: '[worker eval]',
  cachedData: thread.compiled ?? undefined,
});
compiledPort?.once('message', () => compiledPort.postMessage(script.createCachedData()));
script.runInThisContext()(require, module, exports);
`;
