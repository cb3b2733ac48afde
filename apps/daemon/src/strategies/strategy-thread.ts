import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '@libs/clock';
import type { Deployment, FromWorker, Loaded, Reaction, StrategyEvent, ToWorker, View } from './worker/messages';

/** The thread is gone: its strategy looped past the watchdog, ran out of memory, or ended it. */
export class ThreadLostError extends Error {}

/** The strategy could not be loaded: its file, its parameters or its streams are at fault. */
export class StrategyRefusedError extends Error {}

export interface Handled {
  readonly reaction: Reaction;
  readonly startedNanos: number;
  readonly endedNanos: number;
}

export interface ThreadLimits {
  /** How long one event may take before the thread is ended. */
  readonly watchdogMs: number;
  readonly maxHeapMb: number;
}

interface Call {
  readonly settle: (message: FromWorker) => void;
  readonly fail: (error: Error) => void;
  readonly watchdog: Timer;
}

/** One worker thread and the strategies in it. Whatever they do, the caller's thread stays free. */
export class StrategyThread {
  private readonly worker: Worker;
  private readonly calls = new Map<number, Call>();
  private lastCall = 0;
  private lost: Error | null = null;

  /** @param entry the bundled entry of the worker threads */
  constructor(
    entry: string,
    private readonly limits: ThreadLimits,
    private readonly clock: Clock,
  ) {
    this.worker = new Worker(entry, {
      eval: true,
      env: {},
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb, maxYoungGenerationSizeMb: 8 },
    });
    this.worker.on('message', (message: FromWorker) => this.onMessage(message));
    this.worker.on('error', (error) => this.lose(new ThreadLostError(error.message)));
    this.worker.on('exit', (code) => this.lose(new ThreadLostError(`the strategy's thread ended with code ${code}`)));
  }

  /** @throws StrategyRefusedError, ThreadLostError */
  async load(deployment: Deployment): Promise<Loaded> {
    const answer = await this.call((call) => ({ type: 'load', call, deployment }));
    if (answer.type === 'loaded') return answer.loaded;
    throw new StrategyRefusedError(answer.type === 'refused' ? answer.error : 'no answer to a load');
  }

  /** @throws ThreadLostError */
  async handle(name: string, event: StrategyEvent, view: View): Promise<Handled> {
    const answer = await this.call((call) => ({ type: 'handle', call, name, event, view }));
    if (answer.type === 'handled') return answer;
    throw new ThreadLostError(answer.type === 'refused' ? answer.error : 'no answer to an event');
  }

  async unload(name: string): Promise<void> {
    await this.call((call) => ({ type: 'unload', call, name }));
  }

  async end(): Promise<void> {
    this.lose(new ThreadLostError('the thread was ended'));
    await this.worker.terminate();
  }

  private call(messageOf: (call: number) => ToWorker): Promise<FromWorker> {
    if (this.lost) return Promise.reject(this.lost);
    const call = ++this.lastCall;
    return new Promise((settle, fail) => {
      const watchdog = this.clock.setTimer(this.limits.watchdogMs, () => this.onHang());
      this.calls.set(call, { settle, fail, watchdog });
      this.worker.postMessage(messageOf(call));
    });
  }

  private onMessage(message: FromWorker): void {
    const call = this.calls.get(message.call);
    this.calls.delete(message.call);
    call?.watchdog.cancel();
    call?.settle(message);
  }

  private onHang(): void {
    this.lose(new ThreadLostError(`no answer within ${this.limits.watchdogMs} ms: the thread was ended`));
    void this.worker.terminate();
  }

  private lose(error: Error): void {
    this.lost ??= error;
    for (const call of this.calls.values()) {
      call.watchdog.cancel();
      call.fail(this.lost);
    }
    this.calls.clear();
  }
}
