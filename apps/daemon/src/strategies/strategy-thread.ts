import type { Clock, Timer } from '@libs/clock';
import type { StrategyWorker, ThreadHost } from './thread-host';
import type { StateText } from '../core/records';
import type { StrategyEvent } from '../core/strategy-event';
import type { Deployment, FromWorker, Loaded, Reaction, ToWorker } from './worker/messages';
import type { View } from '../live/view';

/** The thread ended: a strategy in it exceeded the watchdog limit, ran out of memory, or exited. */
export class ThreadLostError extends Error {
  /** @param culprit the strategy that was being run; null when none was */
  constructor(
    message: string,
    readonly culprit: string | null = null,
  ) {
    super(message);
  }
}

/** Another strategy has ended the thread of its group, so that this one is not at fault. */
export class SharedThreadLostError extends ThreadLostError {}

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
  readonly number: number;
  /** Id of the strategy in the worker. */
  readonly name: string;
  readonly settle: (message: FromWorker) => void;
  readonly fail: (error: Error) => void;
}

/** How often the memory of the process is read while an event is handled. */
const memoryLookMs = 50;
/** Bytes by which the process may grow within one event, whatever the limit of the heap: the daemon grows for other reasons, too. */
const leastGrowthBytes = 1_073_741_824;
const mebibyte = 1_048_576;

/** How long an answer that has arrived may still wait to be read: the caller's own thread may have been busy. */
const graceMs = 20;

/**
 * One worker thread and the strategies in it. Whatever they do, the caller's thread stays free. The thread handles calls
 * in their order: the oldest without an answer is the one that runs, and the watchdog times it and no other.
 */
export class StrategyThread {
  private readonly worker: StrategyWorker;
  /** Calls without an answer, in their order. */
  private readonly open: Call[] = [];
  private watchdog: Timer | null = null;
  private lastCall = 0;
  private loss: ThreadLostError | null = null;
  private readonly onLoss = new Set<(loss: ThreadLostError) => void>();

  constructor(
    private readonly host: ThreadHost,
    private readonly limits: ThreadLimits,
    private readonly clock: Clock,
  ) {
    this.worker = host.start(limits.maxHeapMb, {
      onMessage: (message) => this.onMessage(message),
      onEnd: (problem) => this.lose(problem),
    });
  }

  get isLost(): boolean {
    return this.loss !== null;
  }

  /**
   * Calls back once when the thread ends, even if it is idle; at once if it has already ended.
   * @returns a function that ends the listening
   */
  whenLost(listener: (loss: ThreadLostError) => void): () => void {
    if (this.loss) listener(this.loss);
    else this.onLoss.add(listener);
    return () => void this.onLoss.delete(listener);
  }

  /** @throws StrategyRefusedError, ThreadLostError */
  async load(deployment: Deployment): Promise<Loaded> {
    const answer = await this.call(deployment.name, (call) => ({ type: 'load', call, deployment }));
    if (answer.type === 'loaded') return answer.loaded;
    throw new StrategyRefusedError(answer.type === 'refused' ? answer.error : 'unexpected answer to a load request');
  }

  /** @throws ThreadLostError */
  async handle(name: string, event: StrategyEvent, view: View): Promise<Handled> {
    const answer = await this.call(name, (call) => ({ type: 'handle', call, name, event, view }));
    if (answer.type === 'handled') return answer;
    throw new ThreadLostError(answer.type === 'refused' ? answer.error : 'unexpected answer to an event');
  }

  /** @returns the state in the version of the strategy; null if it declares none. @throws StrategyRefusedError, ThreadLostError */
  async adopt(name: string, state: StateText): Promise<StateText | null> {
    const answer = await this.call(name, (call) => ({ type: 'adopt', call, name, state }));
    if (answer.type === 'adopted') return answer.state;
    throw new StrategyRefusedError(answer.type === 'refused' ? answer.error : 'unexpected answer to a state');
  }

  /** @throws ThreadLostError */
  async unload(name: string): Promise<void> {
    await this.call(name, (call) => ({ type: 'unload', call, name }));
  }

  async end(): Promise<void> {
    this.lose('the thread was ended');
    await this.worker.terminate();
  }

  private call(name: string, messageOf: (call: number) => ToWorker): Promise<FromWorker> {
    if (this.loss) return Promise.reject(this.loss);
    return new Promise((settle, fail) => {
      const number = ++this.lastCall;
      // Posted without waiting for the calls before it: the thread goes on to it without a turn of this one.
      this.worker.post(messageOf(number));
      this.open.push({ number, name, settle, fail });
      if (this.open.length === 1) this.watch();
    });
  }

  /** Times the call that runs: it began when the one before it was answered, or when it was posted. */
  private watch(): void {
    if (this.host.residentBytes === undefined) this.awaitAnswer(this.limits.watchdogMs);
    else this.awaitAnswer(this.limits.watchdogMs, () => this.host.residentBytes?.() ?? 0);
  }

  /**
   * Ends the thread after so long without an answer, or before, when the process has grown too much: what a strategy
   * allocates outside of its heap is counted by no limit of the thread until it answers.
   */
  private awaitAnswer(leftMs: number, residentBytes?: () => number, firstBytes: number | null = null): void {
    const waitMs = residentBytes === undefined ? leftMs : Math.min(memoryLookMs, leftMs);
    this.watchdog = this.clock.setTimer(waitMs, () => {
      if (waitMs >= leftMs) {
        this.watchdog = this.clock.setTimer(graceMs, () => this.onHang());
        return;
      }
      const bytes = residentBytes?.() ?? 0;
      const grownBytes = bytes - (firstBytes ?? bytes);
      // The heap of the thread, and as much again outside of it, may all be used within one event.
      if (grownBytes > Math.max(leastGrowthBytes, 2 * this.limits.maxHeapMb * mebibyte)) this.onGrowth(grownBytes);
      else this.awaitAnswer(leftMs - waitMs, residentBytes, firstBytes ?? bytes);
    });
  }

  private onMessage(message: FromWorker): void {
    const [call] = this.open;
    if (!call || message.call !== call.number) return;
    this.watchdog?.cancel();
    this.open.shift();
    call.settle(message);
    if (this.open.length > 0) this.watch();
  }

  private onGrowth(bytes: number): void {
    const grown = Math.round(bytes / mebibyte);
    this.lose(
      `out of memory: the process grew by ${grown} MiB while the strategy handled an event: the thread was ended`,
    );
    void this.worker.terminate();
  }

  private onHang(): void {
    this.lose(`no answer within ${this.limits.watchdogMs} ms: the thread was ended`);
    void this.worker.terminate();
  }

  private lose(problem: string): void {
    if (this.loss) return;
    this.watchdog?.cancel();
    const loss = new ThreadLostError(problem, this.open[0]?.name ?? null);
    this.loss = loss;
    for (const call of this.open.splice(0)) call.fail(loss);
    for (const listener of this.onLoss) listener(loss);
  }
}
