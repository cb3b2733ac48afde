import type { Clock } from '@libs/clock';
import type { DealRecord, GatewayClient, OrderAnswer, TradeCall } from '@libs/gateway-client';
import type { Reject, Stream } from '@libs/strategy';
import type { LatencyBook } from '../latency/latency-book';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import type { IntentRecord, OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import type { Intent } from '../strategies/worker/messages';
import type { IdempotencyKeys } from './idempotency-keys';
import { entryCall, ticketCall, ticketOf } from './intent-call';
import type { StrategyBook } from './strategy-book';
import { conclude, type Conclusion } from './unknown-ladder';

/** What the desk needs of the world around it. */
export interface DeskSurroundings {
  readonly clock: Clock;
  readonly keys: IdempotencyKeys;
  readonly latency: LatencyBook;
  readonly log: StrategyLog;
  clientOf(broker: string): GatewayClient;
  /** Looks at the account behind a gateway. */
  look(broker: string): Promise<void>;
  /** Takes over a change and makes it durable; false when it is not durable. */
  commit(change: Change): Promise<boolean>;
  /** Why an entry may not be; null when it may. */
  denied(stream: Stream, volume: number, unresolved: number): string | null;
  onReject(reject: Reject): void;
  onDone(done: { readonly intentId: string; readonly key: string; readonly ticket: number | null }): void;
  /** No new entries; what is on its way is found out the sooner. */
  isStopping(): boolean;
  /** The time to find out is over. */
  hasEnded(): boolean;
}

/** When the event that led to an intent was received, and when the strategy had decided; monotonic nanoseconds. */
export interface Origin {
  readonly receivedNanos: number | null;
  readonly decidedNanos: number;
}

interface Planned {
  readonly broker: string;
  readonly call: TradeCall;
  readonly stream: string | null;
  readonly symbol: string | null;
  /** Ticket it acts on; null for an entry. */
  readonly ticket: number | null;
  readonly isEntry: boolean;
}

/** `reason` of a deal that a program asked for (docs: ENUM_DEAL_REASON). */
const byExpert = 3;
/** How long the desk waits for the broker's books to show what its answer said. */
const settleMs = 3_000;

/** Whether the books show what was done; an entry is known by the ticket that was claimed for it. */
type Expectation = (claimed: number | null) => boolean;

/** Carries out what one strategy wants: checked, journalled, sent once, and followed until its outcome is certain. */
export class OrderDesk {
  /** Counted apart: blocked by the kill switch is no fault of the order. */
  readonly counts = { submitted: 0, rejected: 0, blocked: 0, denied: 0, unknown: 0 };
  private readonly unresolved = new Set<string>();
  private readonly intentOfOrder = new Map<number, string>();
  /** Intents to close that are on their way, by the position's ticket. */
  private readonly closing = new Map<number, string>();

  constructor(
    private readonly book: StrategyBook,
    private readonly around: DeskSurroundings,
  ) {}

  /** Requests whose outcome is not known. */
  get inFlight(): number {
    return this.unresolved.size;
  }

  /** The intent that a deal answers, when the desk knows it; a deal may be seen before the answer to its request. */
  intentOf(deal: DealRecord): string | null {
    const known = this.intentOfOrder.get(deal.order);
    if (known !== undefined || deal.entry === 0 || deal.reason !== byExpert) return known ?? null;
    return this.closing.get(deal.position_id) ?? null;
  }

  /**
   * Returns when the outcome is certain and the books show it, or when it has to be found out in the background.
   * @param along what becomes durable together with the intent
   */
  async carryOut(intent: Exclude<Intent, { action: 'stack' }>, origin: Origin, along: Change = {}): Promise<void> {
    const plan = this.plan(intent);
    if (typeof plan === 'string') return this.deny(intent.id, plan);
    const { around } = this;
    const record: IntentRecord = {
      ...plan,
      key: around.keys.next(),
      strategy: this.book.spec.name,
      intentId: intent.id,
      createdAtMs: around.clock.nowMs(),
      state: 'open',
      outcome: null,
    };
    this.unresolved.add(record.key);
    const isShown = this.expected(record);
    if (!(await around.commit({ ...along, intents: [record] })) && plan.isEntry) {
      this.unresolved.delete(record.key);
      return this.deny(intent.id, 'the state cannot be written');
    }
    const sentNanos = nanosNow();
    this.recordSubmission(origin, sentNanos);
    const outcome = await around.clientOf(plan.broker).send<OrderAnswer>(plan.call, record.key);
    around.latency.record(record.strategy, 'submission_to_fill', nanosNow() - sentNanos);
    if (outcome.kind !== 'unknown') return this.finish(record, outcome, isShown);
    this.counts.unknown++;
    around.log.warning('the outcome of a request is unknown', { key: record.key, reason: outcome.reason });
    void this.findOut(record, isShown);
  }

  /** Goes on finding out what an earlier start of the daemon left open. */
  takeUp(open: readonly IntentRecord[]): void {
    for (const record of open) {
      this.unresolved.add(record.key);
      void this.findOut(record, this.expected(record));
    }
  }

  private plan(intent: Exclude<Intent, { action: 'stack' }>): Planned | string {
    if (intent.action === 'enter') {
      const stream = this.book.spec.streams.find(({ alias }) => alias === intent.stream);
      if (!stream) return `no stream ${intent.stream}`;
      const denied = this.around.denied(stream, intent.options.volume, this.unresolved.size);
      if (denied !== null) return denied;
      const call = entryCall(stream, intent.side, intent.options, this.book.spec.magic);
      return { broker: stream.broker, call, stream: stream.alias, symbol: stream.symbol, ticket: null, isEntry: true };
    }
    const owned = this.book.openTickets.find(({ ticket }) => ticket === ticketOf(intent));
    if (!owned) return `ticket ${ticketOf(intent)} is not open, or not this strategy's`;
    const { broker, stream, symbol } = owned;
    return { broker, stream, symbol, ticket: owned.ticket, call: ticketCall(intent), isEntry: false };
  }

  /** Turns an intent down before anything is sent. */
  deny(intentId: string, reason: string): void {
    this.counts.denied++;
    this.around.log.warning('an intent was denied', { intent: intentId, reason });
    this.around.onReject({ intentId, kind: 'denied', reason, retcode: null });
  }

  private async findOut(record: IntentRecord, isShown: Expectation): Promise<void> {
    const conclusion = await conclude(record, {
      client: this.around.clientOf(record.broker),
      clock: this.around.clock,
      onStep: (text) => this.around.log.warning(text),
      isStopping: () => this.around.isStopping(),
      hasEnded: () => this.around.hasEnded(),
    });
    if (conclusion) await this.finish(record, conclusion, isShown);
  }

  private async finish(record: IntentRecord, conclusion: Conclusion, isShown: Expectation): Promise<void> {
    if (conclusion.kind === 'done') await this.finishDone(record, conclusion.body, isShown);
    else await this.finishRefused(record, conclusion);
    if (record.ticket !== null) this.closing.delete(record.ticket);
  }

  private async finishDone(record: IntentRecord, body: OrderAnswer, isShown: Expectation): Promise<void> {
    this.counts.submitted++;
    const order = body.result?.order || (await this.ticketByKey(record));
    if (order !== null) this.intentOfOrder.set(order, record.intentId);
    const intents = [{ ...record, state: 'done' as const, outcome: body.state ?? 'done' }];
    const owned = record.isEntry && order !== null ? [this.ownedTicket(record, order)] : [];
    const change: Change = { intents, tickets: owned };
    await this.around.commit(change);
    this.around.log.info('done', { key: record.key, path: record.call.path, ticket: order });
    this.around.onDone({ intentId: record.intentId, key: record.key, ticket: order });
    await this.settle(record.broker, () => isShown(owned[0]?.ticket ?? null));
    // Only now: an entry decided on books that do not show this one yet would be one too many.
    this.unresolved.delete(record.key);
  }

  private async finishRefused(record: IntentRecord, conclusion: Exclude<Conclusion, { kind: 'done' }>): Promise<void> {
    const { kind } = conclusion;
    const reason = kind === 'absent' ? conclusion.reason : `${conclusion.errorType}: ${conclusion.error}`;
    const retcode = kind === 'absent' ? null : (conclusion.terminalError?.retcode ?? null);
    this.counts[kind === 'blocked' ? 'blocked' : 'rejected']++;
    await this.around.commit({ intents: [{ ...record, state: kind, outcome: reason }] });
    this.unresolved.delete(record.key);
    this.around.log.warning(kind, { key: record.key, reason, retcode });
    this.around.onReject({
      intentId: record.intentId,
      kind: kind === 'blocked' ? 'blocked' : 'rejected',
      reason,
      retcode,
    });
    // A refusal may mean that the books are behind, as for a position that is closed already.
    await this.around.look(record.broker);
  }

  /** Waits until the books show what was done, so that the strategy's next event does not come before its own fill. */
  private async settle(broker: string, isShown: () => boolean): Promise<void> {
    const { clock } = this.around;
    const untilMs = clock.monotonicMs() + settleMs;
    for (let waitMs = 10; ; waitMs = Math.min(250, waitMs * 2)) {
      await this.around.look(broker);
      if (isShown() || clock.monotonicMs() >= untilMs || this.around.hasEnded()) return;
      await clock.sleep(waitMs);
    }
  }

  /** What the books will have to show of a request that is about to be sent, compared with what they show now. */
  private expected(record: IntentRecord): Expectation {
    const agrees = (ticket: number): boolean =>
      !this.book.unsettled(record.broker).some((owned) => owned.ticket === ticket);
    if (record.isEntry) return (claimed) => claimed === null || agrees(claimed);
    const { ticket } = record;
    if (record.call.path !== '/close_position' || ticket === null) return () => true;
    this.closing.set(ticket, record.intentId);
    const volumeBefore = this.book.bookedVolume(ticket);
    return () => agrees(ticket) && this.book.bookedVolume(ticket) !== volumeBefore;
  }

  private async ticketByKey(record: IntentRecord): Promise<number | null> {
    if (!record.isEntry) return null;
    try {
      const { positions, orders } = await this.around.clientOf(record.broker).reads.reconcile();
      return [...positions, ...orders].find((row) => row.client_order_id === record.key)?.ticket ?? null;
    } catch (error) {
      this.around.log.error('the ticket of a done request could not be read', {
        key: record.key,
        error: String(error),
      });
      return null;
    }
  }

  private ownedTicket(record: IntentRecord, ticket: number): OwnedTicket {
    return {
      strategy: record.strategy,
      broker: record.broker,
      ticket,
      stream: record.stream ?? '',
      symbol: record.symbol ?? '',
      intentId: record.intentId,
      deals: [],
      volumeIn: '0',
      volumeOut: '0',
      closed: false,
    };
  }

  private recordSubmission({ receivedNanos, decidedNanos }: Origin, sentNanos: number): void {
    const { name } = this.book.spec;
    this.around.latency.record(name, 'signal_to_submission', sentNanos - decidedNanos);
    if (receivedNanos !== null) this.around.latency.record(name, 'tick_to_submission', sentNanos - receivedNanos);
  }
}
