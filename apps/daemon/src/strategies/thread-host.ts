import type { FromWorker, ToWorker } from './worker/messages';

/** Receives what a thread says, and its end. */
export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** The thread has ended, by whatever cause. May be called more than once. */
  onEnd(problem: string): void;
}

/** A thread that runs strategies. */
export interface StrategyWorker {
  post(message: ToWorker): void;
  /** Ends it, whatever it does. Resolves when it has ended. */
  terminate(): Promise<unknown>;
}

/** Where strategies run: worker threads, or the process of a simulation. */
export interface ThreadHost {
  /** Starts a thread. @param maxHeapMb largest heap of the thread, in MiB */
  start(maxHeapMb: number, listener: WorkerListener): StrategyWorker;
  /** Memory of the whole process, in bytes; absent where threads are none of the machine. */
  residentBytes?(): number;
}
