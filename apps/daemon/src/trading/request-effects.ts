import { backoffMs } from '@libs/clock';
import type { OrderAnswer } from '@libs/gateway-client';
import { claimOf, isClaimed } from '../core/claim';
import { isShown } from '../core/expectation';
import type { IntentEffect, IntentEvent, IntentLife } from '../core/intent-lifecycle';
import { isClose } from '../core/plan';
import type { IntentRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import type { DurableBook } from './durable-book';
import type { OrderIntents } from '../core/order-intents';
import type { Submissions } from './submissions';
import { ticketByKey } from './ticket-by-key';
import { gatewayOf } from './traded-gateway';

/** What a request follows from, and what becomes durable together with it. */
export interface Occasion {
  readonly origin: Origin;
  readonly along: Change;
}

type EffectOf<Type extends IntentEffect['type']> = Extract<IntentEffect, { type: Type }>;
type GatewayEffect = EffectOf<'send' | 'check journal' | 'read key' | 'void key' | 'wait'>;

/** How often a wait checks whether the daemon shuts down. */
const sliceMs = 200;
/** How long the desk waits until the account shows the effect of an answer. */
const longestShowMs = 3_000;

/** Performs the effects of one strategy's requests, each of which ends with an event. */
export class RequestEffects {
  constructor(
    private readonly ledger: DurableBook,
    private readonly around: DeskSurroundings,
    private readonly intents: OrderIntents,
    private readonly submissions: Submissions,
  ) {}

  async perform(effect: IntentEffect, life: IntentLife, { origin, along }: Occasion): Promise<IntentEvent> {
    switch (effect.type) {
      case 'write request':
        return written(await this.ledger.commit({ ...along, intents: [effect.record] }));
      case 'write refusal':
        return written(await this.ledger.commit({ intents: effect.records }));
      case 'write done':
        return this.writeDone(life.record, effect.body);
      case 'show':
        await this.show(life, effect.order);
        return { type: 'seen' };
      case 'read account':
        await this.look(life.record.broker);
        return { type: 'seen' };
      case 'hold':
      case 'stay held':
      case 'wait to retry':
        return this.pause(effect.ms);
      default:
        return this.ask(effect, life, origin);
    }
  }

  private async ask(effect: GatewayEffect, life: IntentLife, origin: Origin): Promise<IntentEvent> {
    const { around } = this;
    const { key, call, broker } = life.record;
    const isFirstSend = effect.type === 'send' && life.stage.at === 'request' && !life.stage.request.wasSent;
    // A reload may have taken the gateway out of the configuration.
    if (!isFirstSend && !around.gateways.has(broker)) return { type: 'not configured', gateway: broker };
    const { client, expectedLogin } = gatewayOf(around.gateways, broker).session;
    switch (effect.type) {
      case 'send':
        if (isFirstSend) return this.sendFirst(life.record, origin);
        return { type: 'answered', outcome: await client.send<OrderAnswer>(call, key) };
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

  private async sendFirst(record: IntentRecord, origin: Origin): Promise<IntentEvent> {
    const { client } = gatewayOf(this.around.gateways, record.broker).session;
    const sentNanos = this.submissions.sent(origin);
    const outcome = await client.send<OrderAnswer>(record.call, record.key);
    if (outcome.kind === 'done' && (record.isEntry || isClose(record))) {
      this.submissions.answered(record.intentId, sentNanos, outcome.body.state === 'placed');
    }
    return { type: 'answered', outcome };
  }

  /** Makes durable that a request was executed, with the ticket of an entry. */
  private async writeDone(record: IntentRecord, body: OrderAnswer): Promise<IntentEvent> {
    const order = body.result?.order || (await ticketByKey(record, this.around));
    if (order !== null) this.intents.add(record.broker, order, record.intentId);
    const done: IntentRecord = { ...record, state: 'done', outcome: body.state ?? 'done' };
    const claimed = this.claiming(record, order, body.state);
    return written(await this.ledger.commit({ ...claimed, intents: [done] }), order);
  }

  private claiming(record: IntentRecord, order: number | null, state: OrderAnswer['state']): Change {
    if (!record.isEntry || order === null) return {};
    const remembered = this.around.store.ticket(record.broker, order);
    return isClaimed(record, remembered) ? {} : this.ledger.book.claiming([claimOf(record, order, state)]);
  }

  /** Waits until the books show the effect, so that the strategy's next event does not precede its own fill. */
  private async show(life: IntentLife, order: number | null): Promise<void> {
    const { clock, shutdown } = this.around;
    const untilMs = clock.monotonicMs() + longestShowMs;
    for (let attempt = 0; ; attempt++) {
      await this.look(life.record.broker);
      const isOver = clock.monotonicMs() >= untilMs || shutdown.hasEnded;
      if (isOver || isShown(this.ledger.book, life, order)) return;
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
  private async pause(ms: number): Promise<IntentEvent> {
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

function written(isDurable: boolean, order: number | null = null): IntentEvent {
  return { type: 'written', isDurable, order };
}

/** No answer proves nothing. */
async function eventOf(call: () => Promise<IntentEvent>): Promise<IntentEvent> {
  try {
    return await call();
  } catch {
    return { type: 'failed' };
  }
}
