import { backoffMs } from '@libs/clock';
import type { OrderAnswer, TradeCall, TradeOutcome } from '@libs/gateway-client';
import { traceNamed } from '@libs/tracing';
import type { AskEffect, FindOrderEffect, RequestedEffect } from '../core/core-effect';
import type { AskedEvent, OrderEvent } from '../core/core-event';
import type { CoreState } from '../core/core-state';
import { isShown } from '../core/request-facts';
import type { IntentLife } from '../core/intent-life';
import { isClose } from '../core/plan';
import type { IntentRecord, OwnedTicket } from '../core/records';
import type { DurableState } from '../state/persistence';
import { Submissions, TradeSpans } from './request-trace';
import { gatewayOf, noOrigin, type DeskSurroundings, type Origin } from './surroundings';

type AskOf<Type extends AskEffect['effect']['type']> = Extract<AskEffect['effect'], { type: Type }>;
type GatewayEffect = AskOf<'send' | 'check journal' | 'read key' | 'void key' | 'wait'>;

/** Errors of a gateway that concern the fence of a request. */
const fenceErrors: readonly string[] = ['fenced_out', 'fence_required'];
/** How often a wait checks whether the daemon shuts down. */
const sliceMs = 200;
/** How long the desk waits until the account shows the effect of an answer. */
const longestShowMs = 3_000;

/** Effects of a recovery: it continues in the background, and ends with the daemon. */
const recovery: readonly AskEffect['effect']['type'][] = [
  'send',
  'check journal',
  'read key',
  'void key',
  'wait',
  'hold',
  'stay held',
];

/** Delivers events to a core and performs their effects. */
interface DeliveredCore {
  readonly state: CoreState;
  readonly durable: DurableState;
  /** Resolves when all effects are performed, or continue in the background. @throws what the core throws, at once */
  deliver(event: OrderEvent, origin?: Origin): Promise<void>;
}

/**
 * Performs the effects of one strategy's requests, each of which ends with an event, and follows each request until its outcome is
 * certain or the operator has to settle it.
 */
export class RequestEffects {
  readonly submissions: Submissions;
  private readonly spans: TradeSpans;

  constructor(
    private readonly core: DeliveredCore,
    private readonly around: DeskSurroundings,
  ) {
    const { name } = core.state.book.spec;
    this.submissions = new Submissions(name, around.latency);
    this.spans = new TradeSpans(name, around.spans, around.clock);
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
    const { core } = this;
    let followed: Promise<void>;
    try {
      followed = core.deliver(await this.perform(effect, origin), origin);
    } catch (error) {
      void core.deliver({ type: 'request', key: effect.key, event: { type: 'broken', reason: String(error) } });
      throw error;
    }
    await followed;
  }

  private async perform(effect: RequestedEffect, origin: Origin): Promise<OrderEvent> {
    const { key } = effect;
    switch (effect.type) {
      case 'persist':
        return { type: 'persisted', n: effect.n, isDurable: await this.core.durable.write(effect.change) };
      case 'submit':
        return { type: 'request', key, event: await this.submit(effect.record, origin) };
      case 'find order':
        return { type: 'order found', key, order: effect.order, remembered: this.remembered(effect), isRead: false };
      case 'ask':
        return { type: 'request', key, event: await this.ask(effect) };
    }
  }

  private async ask({ effect, life }: AskEffect): Promise<AskedEvent> {
    switch (effect.type) {
      case 'show': {
        await this.show(life, effect.order);
        const { session, sync } = this.around.gateways.get(life.record.broker) ?? {};
        return { type: 'seen', isHedging: session?.isHedging === true, isRead: sync?.current === true };
      }
      case 'read account':
        await this.look(life.record.broker);
        return { type: 'seen' };
      case 'hold':
      case 'stay held':
      case 'wait to retry':
        return this.pause(effect.ms);
      default:
        return this.askGateway(effect, life.record);
    }
  }

  private async askGateway(effect: GatewayEffect, { key, call, broker }: IntentRecord): Promise<AskedEvent> {
    const { around } = this;
    // A reload may have taken the gateway out of the configuration.
    if (!around.gateways.has(broker)) return { type: 'not configured', gateway: broker };
    const { client, expectedLogin } = gatewayOf(around.gateways, broker).session;
    switch (effect.type) {
      case 'send':
        return { type: 'answered', outcome: await this.send(broker, call, key) };
      case 'check journal':
        return eventOf(async () => {
          const { account, journal } = await client.reads.health();
          // While another account is behind the address, it is another gateway's journal.
          return expectedLogin === null || account === expectedLogin
            ? { type: 'journal', journal }
            : { type: 'failed' };
        });
      case 'read key':
        return eventOf(async () => ({ type: 'reported', report: await client.reads.tradeRequest(key) }));
      case 'void key':
        return eventOf(async () => ({ type: 'voided', report: await client.voidTradeRequest(key) }));
      case 'wait':
        around.log.warning(`the outcome of ${key} is still unknown; next check in ${effect.ms} ms`);
        return this.pause(effect.ms);
    }
  }

  private async submit(record: IntentRecord, origin: Origin): Promise<AskedEvent> {
    const trace_id = traceNamed(record.key).traceId;
    this.around.log.debug('request', { key: record.key, trace_id, path: record.call.path });
    this.spans.decided(record, origin);
    const sentNanos = this.submissions.sent(origin);
    const outcome = await this.send(record.broker, record.call, record.key);
    if (outcome.kind === 'done' && (record.isEntry || isClose(record))) {
      this.submissions.answered(record.intentId, sentNanos, outcome.body.state === 'placed');
    }
    return { type: 'answered', outcome };
  }

  /** Sends a call under the lease. A gateway that refuses it by its fence has done nothing, and the unit stops here. */
  private async send(broker: string, call: TradeCall, key: string): Promise<TradeOutcome<OrderAnswer>> {
    const { gateways, lease } = this.around;
    const { client } = gatewayOf(gateways, broker).session;
    const outcome = await this.spans.sent(call, key, broker, (traceparent) =>
      client.send<OrderAnswer>(call, key, lease?.fence, traceparent),
    );
    if (lease && outcome.kind === 'rejected' && fenceErrors.includes(outcome.errorType)) {
      lease.fencedOut(`${broker}: ${outcome.error}`);
    }
    return outcome;
  }

  private remembered({ record, order }: FindOrderEffect): OwnedTicket | null {
    return record.isEntry && order !== null ? this.around.store.ticket(record.broker, order) : null;
  }

  /** Waits until the books show the effect, so that the strategy's next event does not precede its own fill. */
  private async show(life: IntentLife, order: number | null): Promise<void> {
    const { clock, shutdown } = this.around;
    const untilMs = clock.monotonicMs() + longestShowMs;
    for (let attempt = 0; ; attempt++) {
      await this.look(life.record.broker);
      const isOver = clock.monotonicMs() >= untilMs || shutdown.hasEnded;
      if (isOver || isShown(this.core.state.book, life, order)) return;
      await clock.sleep(backoffMs(attempt, { firstMs: 10, longestMs: 250 }));
    }
  }

  /** Takes an account snapshot. An unexpected error counts as a failed read, so that the request continues. */
  private async look(broker: string): Promise<void> {
    const { gateways, log } = this.around;
    try {
      await gateways.get(broker)?.sync.now();
    } catch (error) {
      log.error('the account snapshot failed', { gateway: broker, error: String(error) });
    }
  }

  /** Waits in slices, so that a shutdown ends a long wait. */
  private async pause(ms: number): Promise<AskedEvent> {
    const { clock, shutdown } = this.around;
    const untilMs = clock.monotonicMs() + ms;
    const wasStopping = shutdown.isStopping;
    for (;;) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return { type: 'timer' };
      if (shutdown.hasEnded || (shutdown.isStopping && !wasStopping)) return { type: 'stopping' };
      await clock.sleep(Math.min(leftMs, sliceMs));
    }
  }
}

/** No answer proves nothing. */
async function eventOf(call: () => Promise<AskedEvent>): Promise<AskedEvent> {
  try {
    return await call();
  } catch {
    return { type: 'failed' };
  }
}

/** Whether an effect finds out the outcome of a request that was sent before. */
function isRecovery(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && recovery.includes(effect.effect.type);
}

function isRetryWait(effect: RequestedEffect): boolean {
  return effect.type === 'ask' && effect.effect.type === 'wait to retry';
}
