import { EventQueue, type QueueItem } from '../core/event-queue';

/** A new version takes over from the old one, in its turn among the strategy's events. */
export interface Takeover {
  run(): Promise<void>;
}

/** An item of the queue of a running strategy. */
export type LiveItem = QueueItem<Takeover>;

/** Handles the items of a queue. */
export interface ItemHandler {
  /** Whether items are handled at the moment; they wait otherwise. */
  readonly isOpen: boolean;
  /** Whether it handles no further item. */
  readonly isOver: boolean;
  /** Resolves when the item and everything that follows from it are handled. */
  handle(item: LiveItem): Promise<void>;
  /** An item could not be handled. */
  failed(error: unknown): Promise<void>;
}

/** Handles the queue of a strategy, one item at a time. */
export class EventPump {
  readonly queue = new EventQueue<Takeover>();
  private running: Promise<void> | null = null;

  constructor(private readonly handler: ItemHandler) {}

  add(item: LiveItem): void {
    if (this.handler.isOver) return;
    this.queue.add(item);
    this.wake();
  }

  wake(): void {
    if (!this.handler.isOpen) return;
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
    while (this.handler.isOpen) {
      const item = this.queue.take();
      if (item === null) return;
      try {
        await this.handler.handle(item);
      } catch (error) {
        return this.handler.failed(error);
      }
    }
  }
}
