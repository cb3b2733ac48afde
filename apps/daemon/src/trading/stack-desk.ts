import type { Quote, Reject } from '@libs/strategy';
import type { PendingLayer } from '../core/stack';
import type { Layer, Moment, StackEffect, StackIntent } from '../core/stacks';
import type { StrategyLog } from '../logs/strategy-log';
import type { Origin } from './desk-surroundings';
import type { DurableBook } from './durable-book';
import type { OpenStacks } from './open-stacks';
import type { OrderDesk } from './order-desk';

/** Performs what the stacks of one strategy require: entries through its order desk, and writes of its state. */
export class StackDesk {
  constructor(
    private readonly stacks: OpenStacks,
    private readonly desk: OrderDesk,
    private readonly ledger: DurableBook,
    private readonly log: StrategyLog,
  ) {}

  /** Whether a stack is not over. */
  get hasOpen(): boolean {
    return !this.stacks.isEmpty;
  }

  get pending(): readonly PendingLayer[] {
    return this.stacks.pending;
  }

  /**
   * Enters the first layer, or denies the stack.
   * @param unfit why the account of its stream cannot have a stack; null if it can
   * @param moment null for a stream that does not exist
   */
  async open(intent: StackIntent, origin: Origin, unfit: string | null, moment: Moment | null): Promise<void> {
    await this.perform(this.stacks.handle({ type: 'wanted', intent, unfit, moment }), origin, moment);
  }

  /** @returns the layers whose price is reached: each enters in its turn among the strategy's events */
  reachedBy(stream: string, quote: Quote): readonly Layer[] {
    if (!this.hasOpen) return [];
    return this.stacks
      .handle({ type: 'quote', stream, quote })
      .flatMap((effect) => (effect.type === 'queue' ? [effect.layer] : []));
  }

  /**
   * Enters a layer whose turn has come, unless its price is gone or the entry is denied.
   * @param moment null if its stream does not exist any more
   */
  async enter(layer: Layer, origin: Origin, moment: Moment | null): Promise<void> {
    const effects = this.stacks.handle({ type: 'turn', layer, moment });
    try {
      await this.perform(effects, origin, moment);
    } finally {
      if (effects.length > 0) this.stacks.handle({ type: 'entered', layer });
    }
  }

  async onReject(reject: Reject): Promise<void> {
    const effects = this.stacks.handle({ type: 'rejected', reject });
    const stacks = effects.flatMap((effect) => (effect.type === 'persist' ? [effect.stack] : []));
    if (stacks.length > 0) await this.ledger.commit({ stacks });
    await this.end(effects);
  }

  /** The queue was cleared: layers in it wait for their price again. */
  turnsDropped(): void {
    this.stacks.handle({ type: 'turns dropped' });
  }

  /** Cancels the waiting layers of stacks that are over. @param marketMs market time, in milliseconds since the epoch */
  async sweep(marketMs: number): Promise<void> {
    await this.end(this.stacks.handle({ type: 'account seen', marketMs }));
  }

  /** Ends all stacks: a halted strategy does not enter. */
  async endAll(reason: string): Promise<void> {
    await this.end(this.stacks.handle({ type: 'halted', reason }));
  }

  /** Ends stacks whose first layer was never submitted. @param intents those that were, and are not over */
  async takeUp(intents: readonly string[]): Promise<void> {
    await this.end(this.stacks.handle({ type: 'restarted', intents }));
  }

  private async perform(effects: readonly StackEffect[], origin: Origin, moment: Moment | null): Promise<void> {
    const circumstances = moment?.circumstances ?? null;
    for (const effect of effects) {
      if (effect.type === 'enter') {
        await this.desk.carryOut(effect.intent, origin, circumstances, { stacks: [effect.stack] });
      } else if (effect.type === 'deny') {
        this.desk.deny(effect.intentId, effect.reason, circumstances?.staleBarMs);
      }
    }
  }

  private async end(effects: readonly StackEffect[]): Promise<void> {
    const ended = effects.filter((effect) => effect.type === 'end');
    if (ended.length === 0) return;
    for (const { stack, cancelled, reason } of ended) {
      if (cancelled.length > 0) this.log.info('layers cancelled', { stack: stack.id, layers: cancelled, reason });
    }
    await this.ledger.commit({ stacks: ended.map(({ stack }) => stack) });
  }
}
