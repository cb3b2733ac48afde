import { EventQueue, type Queued, type QueuedEvent, type QueuedWork } from './event-queue';

export interface PumpSurroundings {
  /** Whether events are handled at the moment; they wait otherwise. */
  isOpen(): boolean;
  handle(event: QueuedEvent): Promise<unknown>;
  onError(error: unknown): Promise<void>;
}

/** Processes the queue of a strategy, one item at a time. */
export class EventPump {
  readonly queue = new EventQueue();
  private running: Promise<void> | null = null;

  constructor(private readonly around: PumpSurroundings) {}

  add(queued: Queued): void {
    if (typeof queued === 'function') this.queue.addWork(queued);
    else this.queue.add(queued);
    this.wake();
  }

  /**
   * Resolves with the result of the work, after everything queued so far was handled; never if the queue is cleared.
   */
  inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const queued: QueuedWork = () => work().then(resolve, reject);
      this.queue.addLast(queued);
      this.wake();
    });
  }

  wake(): void {
    if (!this.around.isOpen()) return;
    this.running ??= this.drain().finally(() => {
      this.running = null;
      if (this.queue.depth > 0) this.wake();
    });
  }

  /** Resolves when the current item was handled. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.around.isOpen()) {
      const queued = this.queue.take();
      if (queued === null) return;
      try {
        if (typeof queued === 'function') await queued();
        else await this.around.handle(queued);
      } catch (error) {
        return this.around.onError(error);
      }
    }
  }
}
