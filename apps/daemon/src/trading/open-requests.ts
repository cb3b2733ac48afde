import type { AskEffect, CoreEffect, RequestedEffect } from '../core/core-effect';
import type { OrderEvent } from '../core/core-event';
import { requestOf } from '../core/in-flight-requests';
import { isHeld, type IntentLife } from '../core/intent-lifecycle';
import type { IntentRecord } from '../state/records';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import type { LiveCore } from './live-core';
import { RequestEffects } from './request-effects';
import { Submissions } from './submissions';

const byItself: Origin = { receivedNanos: null, decidedNanos: 0 };
/** Effects of a recovery: it continues in the background, and ends with the daemon. */
const recovery: readonly AskEffect['effect']['type'][] = [
  ...(['check journal', 'read key', 'void key', 'wait', 'hold', 'stay held'] as const),
];

/** Sends the requests of one strategy and follows each until its outcome is certain, or the operator has to settle it. */
export class OpenRequests {
  readonly submissions: Submissions;
  private readonly effects: RequestEffects;

  constructor(
    private readonly core: LiveCore,
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

  /**
   * Delivers an event that may send a request. Returns when the outcome is certain and the books show it, or when its
   * recovery continues in the background.
   */
  async run(event: OrderEvent, origin: Origin = byItself): Promise<void> {
    let effect = requestedIn(this.core.deliver(event).rest);
    while (effect !== null) {
      if (isRecovery(effect) || isRetryWait(effect)) return this.follow(effect);
      effect = await this.performed(effect, origin);
    }
  }

  /** Continues the outcome recovery of requests that an earlier start of the daemon left open. */
  takeUp(records: readonly IntentRecord[]): void {
    for (const effect of this.core.deliver({ type: 'taken up', records }).rest) {
      if (isRequested(effect)) this.follow(effect);
    }
  }

  /** @throws Error if it is not in flight, or its outcome is still being resolved */
  heldOne(key: string): IntentLife {
    const life = requestOf(this.core.state.requests, key);
    if (!life) throw new Error(`the strategy has no in-flight request ${key}`);
    if (!isHeld(life)) throw new Error(`the outcome of request ${key} is still being resolved`);
    return life;
  }

  /** Continues a request in the background. */
  private follow(first: RequestedEffect): void {
    const inBackground = async (): Promise<void> => {
      for (let effect: RequestedEffect | null = first; effect !== null;) {
        if (isRecovery(effect) && this.around.shutdown.hasEnded) return;
        effect = await this.performed(effect, byItself);
      }
    };
    // The request is held for the error, which is logged.
    inBackground().catch(() => undefined);
  }

  /**
   * Performs an effect and delivers the event that it ends with. @returns what the request waits for next
   * @throws what the effect throws, after the request is held for it
   */
  private async performed(effect: RequestedEffect, origin: Origin): Promise<RequestedEffect | null> {
    const { core } = this;
    try {
      return requestedIn(core.deliver(await this.effects.perform(effect, origin)).rest);
    } catch (error) {
      core.deliver({ type: 'request', key: effect.key, event: { type: 'broken', reason: String(error) } });
      throw error;
    }
  }
}

/** What the request of an event waits for: there is one at most. */
function requestedIn(effects: readonly CoreEffect[]): RequestedEffect | null {
  return effects.find(isRequested) ?? null;
}

function isRequested(effect: CoreEffect): effect is RequestedEffect {
  if (effect.type === 'persist') return effect.key !== null;
  return effect.type === 'submit' || effect.type === 'ask' || effect.type === 'find order';
}

/** Whether an effect finds out the outcome of a request that was sent before. */
function isRecovery(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && (effect.effect.type === 'send' || recovery.includes(effect.effect.type));
}

function isRetryWait(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && effect.effect.type === 'wait to retry';
}
