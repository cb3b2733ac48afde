import type { Reject } from '@libs/strategy';
import type { Change, IntentRecord } from './records';
import { claimOf, isClaimed, replacedBy, withExpiry, withStop, withUnreadClose } from './claim';
import type { OrderEvent } from './core-event';
import type { CoreState, Turn } from './core-state';
import { added, handle, isLatest, requestOf, withFailedCloses } from './in-flight-requests';
import type { IntentEvent, IntentLife, IntentStep } from './intent-life';
import { earlierIntent, newIntent } from './intent-lifecycle';
import { isClose, planOf, type OrderIntent } from './plan';
import { denial, rejection } from './exit-retry';
import { factsOf, timesOf, type RequestMoment } from './request-facts';
import type { Circumstances } from './risk';
import type { StackRecord } from './stack';
import { next, type StackEffect, type StackEvent } from './stacks';
import { moved, refused } from './trails';

/** What the entry of a layer is decided on. */
interface Entry {
  readonly key: string;
  readonly circumstances: Circumstances | null;
}

const noEntry: Entry = { key: '', circumstances: null };

/** The intents, requests and stacks of one strategy. */
export class OrderFlow {
  constructor(private readonly state: CoreState) {}

  handle(event: OrderEvent, turn: Turn): void {
    switch (event.type) {
      case 'intent':
        return this.order(event.intent, event, null, turn);
      case 'layer': {
        const circumstances = event.event.moment?.circumstances ?? null;
        return this.stack(event.event, turn, { key: event.key, circumstances });
      }
      case 'stack':
        return this.stack(event.event, turn);
      case 'taken up':
        return this.takeUp(event.records, event.superseded ?? [], turn);
      case 'request':
        return this.deliver(event.key, event.event, turn);
      case 'order found':
        return this.orderFound(event, turn);
      case 'persisted':
        return this.persisted(event, turn);
    }
  }

  /** Delivers an event to the stacks. */
  stack(event: StackEvent, turn: Turn, entry: Entry = noEntry): void {
    const { state } = this;
    const { stacks, effects } = next(state.stacks, event, state.holdings);
    state.stacks = stacks;
    for (const effect of effects) this.followStack(effect, entry, turn);
    const ended = effects.flatMap((effect) => (effect.type === 'end' ? [effect.stack] : []));
    if (ended.length > 0) state.persist({ stacks: ended }, turn);
  }

  private followStack(effect: StackEffect, entry: Entry, turn: Turn): void {
    switch (effect.type) {
      case 'enter':
        return this.order(effect.intent, entry, effect.stack, turn);
      case 'queue':
        return void turn.out.push(effect);
      case 'persist':
        return void this.state.persist({ stacks: [effect.stack] }, turn);
      case 'end': {
        const { type: _, ...ended } = effect;
        return void turn.out.push({ type: 'stack ended', ended });
      }
      case 'deny':
        return this.deny(effect.intentId, effect.reason, entry.circumstances?.staleBarMs ?? null, turn);
    }
  }

  /** @param stack the stack that becomes durable together with the intent */
  private order(intent: OrderIntent, { key, circumstances }: Entry, stack: StackRecord | null, turn: Turn): void {
    const { book, holdings } = this.state;
    const { at } = turn;
    const plan = planOf(intent, holdings, circumstances);
    if (typeof plan === 'string') return this.deny(intent.id, plan, circumstances?.staleBarMs ?? null, turn);
    if (!Object.hasOwn(at.journals, plan.broker)) {
      return this.deny(intent.id, `gateway ${plan.broker} is not configured`, null, turn);
    }
    const journalId = at.journals[plan.broker] ?? null;
    const record: IntentRecord = {
      broker: plan.broker,
      call: plan.call,
      stream: plan.stream,
      symbol: plan.symbol,
      ticket: plan.ticket,
      isEntry: plan.isEntry,
      strategy: book.spec.name,
      intentId: intent.id,
      key,
      createdAtMs: at.nowMs,
      state: 'open',
      outcome: null,
      journalId,
      ...(plan.oco === undefined ? {} : { oco: plan.oco }),
      ...(plan.tag === undefined ? {} : { tag: plan.tag }),
      ...('isTrailing' in intent ? { isTrailing: true } : {}),
    };
    const step = newIntent(record, timesOf(record, book, at));
    this.state.requests = added(this.state.requests, step.life);
    this.follow(step, turn, stack === null ? nothing : { stacks: [stack] });
  }

  private takeUp(records: readonly IntentRecord[], superseded: readonly string[], turn: Turn): void {
    const { state } = this;
    // In the order of their creation: of two requests for the same purpose, the newer one counts.
    const inOrder = [...records].sort((a, b) => a.createdAtMs - b.createdAtMs);
    const steps = inOrder.map((record) => earlierIntent(record, timesOf(record, state.book, turn.at)));
    for (const { life } of steps) {
      state.requests = added(state.requests, life, superseded.includes(life.record.key));
    }
    for (const step of steps) {
      const { broker: gateway, key } = step.life.record;
      if (Object.hasOwn(turn.at.journals, gateway)) this.follow(step, turn);
      else this.deliver(key, { type: 'not configured', gateway }, turn);
    }
  }

  private deliver(key: string, event: IntentEvent, turn: Turn): void {
    const { state } = this;
    const life = requestOf(state.requests, key);
    if (!life) return;
    const facts = factsOf(life.record, state.requests, state.book, momentOn(life.record.broker, turn));
    const { failedExits } = state.requests;
    const { all, step } = handle(state.requests, key, event, facts);
    state.requests = all;
    if (step) this.follow(step, turn);
    if (all.failedExits !== failedExits) this.keepFailedCloses(turn);
  }

  /** Another start must know that a position could not be closed. */
  private keepFailedCloses(turn: Turn): void {
    const { state } = this;
    const tickets = state.book.openTickets.flatMap((owned) => withFailedCloses(state.requests, owned) ?? []);
    if (tickets.length > 0) state.persist({ tickets }, turn);
  }

  /** @param along changes that become durable together with the request */
  private follow({ life, effect, notices }: IntentStep, turn: Turn, along: Pick<Change, 'stacks'> = nothing): void {
    const { record } = life;
    for (const notice of notices) {
      if (notice.type === 'denied') this.deny(record.intentId, notice.reason, null, turn);
      else turn.out.push({ type: 'notice', record, notice });
      if (notice.type === 'done') this.state.trails = moved(this.state.trails, record.intentId);
      if (notice.type === 'rejected') this.rejected(rejection(record.intentId, notice.refusal), turn);
    }
    switch (effect?.type) {
      case undefined:
        return;
      case 'write request':
        return this.write(life, written([record], along), null, turn);
      case 'write refusal':
        return this.write(life, { intents: effect.records }, null, turn);
      case 'write done': {
        const order = effect.body.result?.order || null;
        return void turn.out.push({ type: 'find order', key: record.key, record, order });
      }
      case 'show':
        // An accepted close may fill after its intent has ended.
        this.remember(record, effect.order);
        return void turn.out.push({ type: 'ask', key: record.key, effect, life });
      default:
        if (effect?.type === 'send' && this.submit(life, turn)) return;
        if (effect) turn.out.push({ type: 'ask', key: record.key, effect, life });
    }
  }

  /** Sends a request that was not sent before. @returns false if it was */
  private submit({ record, stage }: IntentLife, { at, out, persisted = 0 }: Turn): boolean {
    if (stage.at !== 'request' || stage.request.wasSent) return false;
    const { key } = record;
    const n = this.state.nextNumber();
    out.push({ type: 'submit', n, atMs: at.nowMs, persist: persisted, key, record });
    return true;
  }

  private write({ record: { key } }: IntentLife, change: Change, order: number | null, turn: Turn): void {
    const n = this.state.persist(change, turn, key);
    this.state.awaited.set(n, { n, key, order });
  }

  private persisted({ n, isDurable }: Extract<OrderEvent, { type: 'persisted' }>, turn: Turn): void {
    const { state } = this;
    state.isUnsaved = !isDurable;
    const awaited = state.awaited.get(n);
    if (awaited === undefined) return;
    state.awaited.delete(n);
    const { key, order } = awaited;
    this.deliver(key, { type: 'written', isDurable, order }, { at: turn.at, out: turn.out, persisted: n });
  }

  /** Makes durable that a request was executed, with the ticket of an entry. */
  private orderFound(
    { key, order, remembered, isRead }: Extract<OrderEvent, { type: 'order found' }>,
    turn: Turn,
  ): void {
    const life = requestOf(this.state.requests, key);
    if (life?.stage.at !== 'concluding' || life.stage.conclusion.kind !== 'done') return;
    const { record } = life;
    const { body } = life.stage.conclusion;
    const { state: orderState } = body;
    const { book, requests } = this.state;
    this.remember(record, order);
    const done: IntentRecord = { ...record, state: 'done', outcome: orderState ?? 'done' };
    const keepsStop = book.spec.onLostStop !== undefined;
    const isNew = record.isEntry && order !== null && !isClaimed(record, remembered);
    const claimed = isNew ? book.claiming([claimOf(record, order, orderState, keepsStop)]) : nothing;
    // The outcome of an earlier change may be known later than that of a newer one.
    const owned = record.ticket !== null && isLatest(requests, record) ? book.find(record.broker, record.ticket) : null;
    const expiring = withExpiry(owned, record);
    const closed = isRead === false && record.ticket !== null ? book.find(record.broker, record.ticket) : null;
    const changed =
      withUnreadClose(closed, life, body) ?? (keepsStop ? withStop(expiring ?? owned, record) : null) ?? expiring;
    const standing = changed ?? (record.ticket === null ? null : book.find(record.broker, record.ticket));
    const replaced = replacedBy(standing, record, order);
    if (order !== null && standing?.intentId && replaced.length > 0) {
      this.state.intents.add(record.broker, order, standing.intentId);
    }
    const tickets = replaced.length > 0 ? replaced : changed ? [changed] : null;
    this.write(life, written([done], tickets ? { tickets } : claimed), order, turn);
  }

  /** Notes the intent that an order came from. A change or a cancellation answers with the order of an earlier intent. */
  private remember(record: IntentRecord, order: number | null): void {
    if (order !== null && (record.isEntry || isClose(record))) {
      this.state.intents.add(record.broker, order, record.intentId);
    }
  }

  deny(intentId: string, reason: string, staleBarMs: number | null, turn: Turn): void {
    const reject = denial(intentId, reason);
    turn.out.push({ type: 'denied', reject, staleBarMs });
    this.rejected(reject, turn);
  }

  /** An intent had no effect: a stack ends, its layer waits again, or a trailing stop pauses. */
  private rejected(reject: Reject, turn: Turn): void {
    const { state } = this;
    state.trails = refused(state.trails, reject.intentId, turn.at.monotonicMs);
    this.stack({ type: 'rejected', reject }, turn);
  }
}

const nothing: Change = {};

/** The change that makes intents durable, together with tickets or a stack. */
function written(intents: readonly IntentRecord[], { tickets, stacks }: Pick<Change, 'tickets' | 'stacks'>): Change {
  if (tickets) return { tickets, intents };
  return stacks ? { stacks, intents } : { intents };
}

function momentOn(broker: string, { at }: Turn): RequestMoment {
  const { nowMs, monotonicMs, isStopping, journals } = at;
  const hasGateway = Object.hasOwn(journals, broker);
  return { nowMs, monotonicMs, isStopping, hasGateway, journalId: journals[broker] ?? null };
}
