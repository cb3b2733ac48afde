import type { Fill } from '@libs/strategy';
import type { PendingLayer, StackRecord } from '../core/stack';
import { next, stacksOf, waitingLayers, type StackEffect, type StackEvent, type Stacks } from '../core/stacks';
import type { Change } from '../state/state-store';
import type { InFlight } from './in-flight';
import type { StrategyBook } from '../core/strategy-book';

/** The stacks of one strategy that are not over. */
export class OpenStacks {
  private stacks: Stacks;

  constructor(
    remembered: readonly StackRecord[],
    private readonly book: StrategyBook,
    private readonly inFlight: InFlight,
  ) {
    this.stacks = stacksOf(remembered);
  }

  get isEmpty(): boolean {
    return this.stacks.open.length === 0;
  }

  get pending(): readonly PendingLayer[] {
    return waitingLayers(this.stacks);
  }

  /** @returns what is to be done */
  handle(event: StackEvent): readonly StackEffect[] {
    const { stacks, effects } = next(this.stacks, event, { book: this.book, inFlight: this.inFlight.records });
    this.stacks = stacks;
    return effects;
  }

  /** Applies fills. @returns what is to become durable together with the booking of their deals */
  filled(fills: readonly Fill[]): Change {
    const stacks = this.handle({ type: 'filled', fills }).flatMap((one) => (one.type === 'persist' ? [one.stack] : []));
    return stacks.length === 0 ? {} : { stacks };
  }
}
