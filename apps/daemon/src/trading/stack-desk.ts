import type { Quote } from '@libs/strategy';
import type { PendingLayer } from '../core/stack';
import { waitingLayers, type Layer, type Moment, type StackIntent } from '../core/stacks';
import type { Origin } from './desk-surroundings';
import type { LiveCore } from './live-core';
import type { OrderDesk } from './order-desk';

/** The stacks of one strategy. */
export class StackDesk {
  constructor(
    private readonly core: LiveCore,
    private readonly desk: OrderDesk,
  ) {}

  /** Whether a stack is not over. */
  get hasOpen(): boolean {
    return this.core.state.stacks.open.length > 0;
  }

  get pending(): readonly PendingLayer[] {
    return waitingLayers(this.core.state.stacks);
  }

  /**
   * Enters the first layer, or denies the stack.
   * @param unfit why the account of its stream cannot have a stack; null if it can
   * @param moment null for a stream that does not exist
   */
  async open(intent: StackIntent, origin: Origin, unfit: string | null, moment: Moment | null): Promise<void> {
    await this.desk.enterLayer({ type: 'wanted', intent, unfit, moment }, origin);
  }

  /** Delivers a quote. Emits the trading event `reached` for each layer that the quote reaches. */
  see(stream: string, quote: Quote): void {
    if (this.hasOpen) void this.core.deliver({ type: 'stack', event: { type: 'quote', stream, quote } });
  }

  /**
   * Enters a layer whose turn has come, unless its price is gone or the entry is denied.
   * @param moment null if its stream no longer exists
   */
  async enter(layer: Layer, origin: Origin, moment: Moment | null): Promise<void> {
    try {
      await this.desk.enterLayer({ type: 'turn', layer, moment }, origin);
    } finally {
      void this.core.deliver({ type: 'stack', event: { type: 'entered', layer } });
    }
  }

  /** The queue was cleared: layers in it wait for their price again. */
  turnsDropped(): void {
    void this.core.deliver({ type: 'stack', event: { type: 'turns dropped' } });
  }

  /** Ends stacks whose first layer was never submitted. @param intents those that were, and are not over */
  async takeUp(intents: readonly string[]): Promise<void> {
    await this.core.deliver({ type: 'stack', event: { type: 'restarted', intents } });
  }
}
