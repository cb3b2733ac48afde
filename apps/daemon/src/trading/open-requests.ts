import type { AskEffect, RequestedEffect } from '../core/core-effect';
import type { OrderEvent } from '../core/core-event';
import { requestOf } from '../core/in-flight-requests';
import type { IntentLife } from '../core/intent-life';
import { isHeld } from '../core/intent-lifecycle';
import type { IntentRecord } from '../core/records';
import { noOrigin, type DeskSurroundings, type Origin } from './desk-surroundings';
import { RequestEffects, type WrittenCore } from './request-effects';
import { Submissions } from './submissions';

/** Delivers events to a core and performs their effects. */
export interface DeliveredCore extends WrittenCore {
  /** Resolves when all effects are performed, or continue in the background. @throws what the core throws, at once */
  deliver(event: OrderEvent, origin?: Origin): Promise<void>;
}

/** Effects of a recovery: it continues in the background, and ends with the daemon. */
const recovery: readonly AskEffect['effect']['type'][] = [
  ...(['send', 'check journal', 'read key', 'void key', 'wait', 'hold', 'stay held'] as const),
];

/** Sends the requests of one strategy and follows each until its outcome is certain, or the operator has to settle it. */
export class OpenRequests {
  readonly submissions: Submissions;
  private readonly effects: RequestEffects;

  constructor(
    private readonly core: DeliveredCore,
    private readonly around: DeskSurroundings,
  ) {
    this.submissions = new Submissions(core.state.book.spec.name, around.latency);
    this.effects = new RequestEffects(core, around, this.submissions);
  }

  /** Whether an order is known to have come from another request. */
  isOfAnother({ broker, intentId }: IntentRecord, order: number): boolean {
    const known = this.around.store.ticket(broker, order)?.intentId;
    const { intents } = this.core.state;
    return intents.isOfAnother(broker, order, intentId) || (known != null && known !== intentId);
  }

  /** @throws Error if it is not in flight, or its outcome is still being resolved */
  heldOne(key: string): IntentLife {
    const life = requestOf(this.core.state.requests, key);
    if (!life) throw new Error(`the strategy has no in-flight request ${key}`);
    if (!isHeld(life)) throw new Error(`the outcome of request ${key} is still being resolved`);
    return life;
  }

  /**
   * Performs an effect that a request waits for, and everything that follows. Resolves when the outcome is certain and the
   * books show it, or when the request continues in the background.
   * @throws what the effect throws, after the request is held for it
   */
  async follow(effect: RequestedEffect, origin: Origin): Promise<void> {
    if (!isRecovery(effect) && !isRetryWait(effect)) return this.performed(effect, origin);
    if (isRecovery(effect) && this.around.shutdown.hasEnded) return;
    // The request is held for an error, which is logged.
    this.performed(effect, noOrigin).catch(() => undefined);
  }

  /** Performs an effect, delivers the event that it ends with, and performs what follows. */
  private async performed(effect: RequestedEffect, origin: Origin): Promise<void> {
    const { core, effects } = this;
    let followed: Promise<void>;
    try {
      followed = core.deliver(await effects.perform(effect, origin), origin);
    } catch (error) {
      void core.deliver({ type: 'request', key: effect.key, event: { type: 'broken', reason: String(error) } });
      throw error;
    }
    await followed;
  }
}

/** Whether an effect finds out the outcome of a request that was sent before. */
function isRecovery(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && recovery.includes(effect.effect.type);
}

function isRetryWait(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && effect.effect.type === 'wait to retry';
}
