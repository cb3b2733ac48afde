import { added, handle, requestOf } from '../core/in-flight-requests';
import {
  earlierIntent,
  isHeld,
  newIntent,
  type IntentEffect,
  type IntentEvent,
  type IntentLife,
  type IntentStep,
} from '../core/intent-lifecycle';
import type { Planned } from '../core/plan';
import { factsOf, timesOf, type RequestMoment } from '../core/request-facts';
import type { Conclusion } from '../core/request-lifecycle';
import type { IntentRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import type { DurableBook } from './durable-book';
import type { InFlight } from './in-flight';
import { RequestEffects, type Occasion } from './request-effects';
import { denialOf, RequestNotices } from './request-notices';
import type { StrategyBook } from '../core/strategy-book';
import { Submissions } from './submissions';
import { gatewayOf } from './traded-gateway';

const byItself: Occasion = { origin: { receivedNanos: null, decidedNanos: 0 }, along: {} };
/** Effects of a recovery: it continues in the background, and ends with the daemon. */
const recovery: readonly IntentEffect['type'][] = [
  ...(['check journal', 'read key', 'void key', 'wait', 'hold', 'stay held'] as const),
];

/** Sends the requests of one strategy and follows each until its outcome is certain, or the operator has to settle it. */
export class OpenRequests {
  readonly submissions: Submissions;
  private readonly effects: RequestEffects;
  private readonly notices: RequestNotices;

  constructor(
    private readonly ledger: DurableBook,
    private readonly inFlight: InFlight,
    private readonly around: DeskSurroundings,
  ) {
    this.submissions = new Submissions(ledger.book.spec.name, around.latency);
    this.effects = new RequestEffects(ledger, around, inFlight.intents, this.submissions);
    this.notices = new RequestNotices(around);
  }

  /** Requests by outcome. */
  get counts(): RequestNotices['counts'] {
    return this.notices.counts;
  }

  /** Whether an order is known to have come from another request. */
  isOfAnother({ broker, intentId }: IntentRecord, order: number): boolean {
    const known = this.around.store.ticket(broker, order)?.intentId;
    return this.inFlight.intents.isOfAnother(broker, order, intentId) || (known != null && known !== intentId);
  }

  /**
   * Journals and sends a request. Returns when its outcome is certain and the books show it, or when its recovery
   * continues in the background.
   * @param along changes that become durable together with the intent
   * @returns why it was not sent; null if it was
   */
  send(plan: Planned, intentId: string, origin: Origin, along: Change): Promise<string | null> {
    const { keys, clock } = this.around;
    const { journalId } = gatewayOf(this.around.gateways, plan.broker).session;
    const made = { key: keys.next(), createdAtMs: clock.nowMs(), state: 'open', outcome: null, journalId } as const;
    const record: IntentRecord = { ...plan, strategy: this.book.spec.name, intentId, ...made };
    const step = newIntent(record, timesOf(record, this.book, this.momentOn(record.broker)));
    this.inFlight.requests = added(this.inFlight.requests, step.life);
    return this.run(step, { origin, along });
  }

  /** Continues the outcome recovery of requests that an earlier start of the daemon left open. */
  takeUp(open: readonly IntentRecord[]): void {
    // In the order of their creation: of two requests for the same purpose, the newer one counts.
    const inOrder = [...open].sort((a, b) => a.createdAtMs - b.createdAtMs);
    const steps = inOrder.map((record) => {
      return earlierIntent(record, timesOf(record, this.book, this.momentOn(record.broker)));
    });
    for (const { life } of steps) this.inFlight.requests = added(this.inFlight.requests, life);
    for (const step of steps) {
      const { broker: gateway } = step.life.record;
      const isConfigured = this.around.gateways.has(gateway);
      this.follow(isConfigured ? step : this.deliver(step.life, { type: 'not configured', gateway }));
    }
  }

  /**
   * Settles a request whose outcome cannot be resolved.
   * @throws Error if it is not in flight, or its outcome is still being resolved
   */
  async settle(key: string, conclusion: Conclusion): Promise<void> {
    const step = this.deliver(this.heldOne(key), { type: 'settled', conclusion });
    if (step) await this.run(step, byItself);
  }

  /** @throws Error if it is not in flight, or its outcome is still being resolved */
  heldOne(key: string): IntentLife {
    const life = requestOf(this.inFlight.requests, key);
    if (!life) throw new Error(`the strategy has no in-flight request ${key}`);
    if (!isHeld(life)) throw new Error(`the outcome of request ${key} is still being resolved`);
    return life;
  }

  /**
   * Performs the effects of a request until it ends or is left for the next start. A recovery and a wait for a retry
   * continue in the background.
   * @returns why it was not sent; null if it was
   */
  private async run(first: IntentStep, occasion: Occasion): Promise<string | null> {
    for (let step: IntentStep | null = first; step !== null;) {
      this.notices.report(step);
      const { effect, life }: IntentStep = step;
      if (effect === null) return denialOf(step);
      if (recovery.includes(effect.type) || effect.type === 'wait to retry') {
        this.follow({ ...step, notices: [] });
        return null;
      }
      step = await this.performed(effect, life, occasion);
    }
    return null;
  }

  /** Continues a request in the background. */
  private follow(first: IntentStep | null): void {
    const inBackground = async (): Promise<void> => {
      for (let step = first; step !== null;) {
        this.notices.report(step);
        const { effect, life }: IntentStep = step;
        if (effect === null || (isRecovery(effect, life) && this.around.shutdown.hasEnded)) return;
        step = await this.performed(effect, life, byItself);
      }
    };
    // The request is held for the error, which is logged.
    inBackground().catch(() => undefined);
  }

  /** @throws what the effect throws, after the request is held for it */
  private async performed(effect: IntentEffect, life: IntentLife, occasion: Occasion): Promise<IntentStep | null> {
    try {
      return this.deliver(life, await this.effects.perform(effect, life, occasion));
    } catch (error) {
      const step = this.deliver(life, { type: 'broken', reason: String(error) });
      if (step) this.notices.report(step);
      throw error;
    }
  }

  private deliver({ record: { key } }: IntentLife, event: IntentEvent): IntentStep | null {
    const life = requestOf(this.inFlight.requests, key);
    if (!life) return null;
    const facts = factsOf(life.record, this.inFlight.requests, this.book, this.momentOn(life.record.broker));
    const { all, step } = handle(this.inFlight.requests, key, event, facts);
    this.inFlight.requests = all;
    return step;
  }

  private get book(): StrategyBook {
    return this.ledger.book;
  }

  private momentOn(broker: string): RequestMoment {
    const { clock, gateways, shutdown } = this.around;
    const gateway = gateways.get(broker);
    return {
      ...{ nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), isStopping: shutdown.isStopping },
      ...{ hasGateway: gateway !== undefined, journalId: gateway?.session.journalId ?? null },
    };
  }
}

/** Whether an effect finds out the outcome of a request that was sent before. */
function isRecovery({ type }: IntentEffect, { stage }: IntentLife): boolean {
  return recovery.includes(type) || (type === 'send' && stage.at === 'request' && stage.request.wasSent);
}
