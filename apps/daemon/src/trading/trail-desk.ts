import type { Quote } from '@libs/strategy';
import type { TrailIntent } from '../core/core-event';
import type { StopTerms } from '../core/trail';
import { isTrailed } from '../core/trails';
import type { LiveCore } from './live-core';

/** The trailing stops of one strategy. */
export class TrailDesk {
  constructor(private readonly core: LiveCore) {}

  /** Whether a position has one. */
  get hasOpen(): boolean {
    return this.core.state.book.openTickets.some(isTrailed);
  }

  /** Sets or ends one. Resolves when it is on disk, or when the disk has refused it. */
  async set(intent: TrailIntent): Promise<void> {
    await this.core.deliver({ type: 'trail', intent });
  }

  /**
   * Resolves when no change of the stop-loss of a position is under way: a later change of the strategy must not be overtaken by
   * it.
   */
  async settled(position: number): Promise<void> {
    await this.core.moved(this.core.state.book.named(position));
  }

  /** Delivers a quote. @param terms null while the specification of its symbol is not known */
  see(stream: string, quote: Quote, terms: StopTerms | null): void {
    if (terms === null || !this.hasOpen) return;
    const { tickSize, digits, stopsDistance, freezeDistance } = terms;
    void this.core.deliver({
      type: 'price',
      stream,
      quote,
      terms: { tickSize, digits, stopsDistance, freezeDistance },
    });
  }
}
