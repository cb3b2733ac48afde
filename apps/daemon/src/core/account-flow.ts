import type { DealRecord } from '@libs/gateway-client';
import { moneyText } from '@libs/gateway-client/figure-text';
import type { Fill } from '@libs/strategy';
import { OrderState } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { Change, HaltRecord, OwnedTicket } from './records';
import type { AccountEvent, FollowedOrder, SettlementEvent } from './core-event';
import type { CoreState, Turn } from './core-state';
import { isWorking } from './deal-booking';
import { reactionTo, reactionToFillInto, type ExternalReaction } from './external-positions';
import { afterEquity, resumed, forcedExits } from './halt-rules';
import { withAmounts, withLateCosts } from './late-costs';
import { endedTicket, goneOf, hasFilled, orderEnd, positionTicket, type OrderFacts } from './order-end';
import type { OrderFlow } from './order-flow';
import { filledFirst, isSuperseded, withExecuted } from './plan';
import { afterRead, mayBeReplaced } from './in-flight-requests';
import { stopActions, stopsInPlace } from './lost-stops';
import { supersededSweeps, sweepsOf } from './pending-sweep';
import { next } from './stacks';
import type { DoubtedProfit } from './strategy-book';

type EventOf<Type extends (AccountEvent | SettlementEvent)['type']> = Extract<
  AccountEvent | SettlementEvent,
  { type: Type }
>;

/** Tells that a floating profit is left aside. */
function doubtOf(
  { shown, believed }: DoubtedProfit,
  moneyDigits: number | undefined,
): { readonly type: 'warn'; readonly reason: string } {
  const [seen, counted] = [shown, believed].map(({ profit }) => moneyText(profit, moneyDigits));
  const reason = `the profit ${seen} of position ${shown.ticket} is not believed: its price and the account contradict it; ${counted} counts`;
  return { type: 'warn', reason };
}

/** The book, the results and the halts of one strategy. */
export class AccountFlow {
  constructor(
    private readonly state: CoreState,
    private readonly orders: OrderFlow,
  ) {}

  handle(event: AccountEvent | SettlementEvent, turn: Turn): void {
    const { state } = this;
    const { book } = state;
    switch (event.type) {
      case 'rows':
        return this.rows(event, turn);
      case 'deals':
        return this.deals(event, turn);
      case 'order':
        return this.order(event, turn);
      case 'external deals':
        return this.externalDeals(event, turn);
      case 'external': {
        const { broker, positions } = event;
        return this.react(reactionTo(positions, book, broker, state.inFlightOn(broker)), turn);
      }
      case 'lost stops':
        return this.lostStops(event, turn);
      case 'account seen':
        return this.seen(event, turn);
      case 'account unread':
        return this.unread(event, turn);
      case 'equity':
        return this.limits(new Decimal(event.equity), event, turn);
      case 'sweep':
        return this.sweep(event, turn);
      case 'halt':
        return this.halt(haltOf(event, turn.at.nowMs), turn, event.byOperator);
      case 'resume': {
        turn.out.push({ type: 'resumed' });
        const strategy = resumed(book.record, book.isEquityKnown ? book.equity : null);
        return void state.persist({ strategy }, turn);
      }
      case 'respec': {
        const before = book.record;
        book.respec(event.spec);
        if (book.record !== before) state.persist({ strategy: book.record }, turn);
        return;
      }
      case 'forgo':
        return book.forgo(event.broker);
    }
  }

  private rows({ broker, rows, moneyDigits }: EventOf<'rows'>, turn: Turn): void {
    const { state } = this;
    state.requests = afterRead(state.requests, broker);
    for (const doubted of state.book.see(broker, rows, moneyDigits)) turn.out.push(doubtOf(doubted, moneyDigits));
    const tickets = stopsInPlace(state.holdings);
    if (tickets.length > 0) state.persist({ tickets }, turn);
    this.noteFilled(this.shownFilled(broker), turn);
  }

  /**
   * The first order of each group that a list shows as executed, and that none is known of: the deals may be shown later, and
   * until then the others of the group could fill as well.
   */
  private shownFilled(broker: string): readonly OwnedTicket[] {
    const { book } = this.state;
    const waiting = book.openTickets.filter(
      (owned) => owned.oco !== undefined && owned.broker === broker && !filledFirst(book.record, owned.oco),
    );
    // A part that only the order's row shows counts as the latest.
    const openedAt = ({ ticket }: OwnedTicket): number =>
      book.positionRow(broker, ticket)?.time_msc ?? Number.MAX_SAFE_INTEGER;
    const filled = waiting.filter(({ ticket }) => {
      const order = book.orderRow(broker, ticket);
      return book.positionRow(broker, ticket) !== undefined || (order !== undefined && hasFilled(order));
    });
    const inOrder = filled.sort((one, other) => openedAt(one) - openedAt(other));
    return inOrder.filter(({ oco }, at) => inOrder.findIndex((owned) => owned.oco === oco) === at);
  }

  /** Orders of groups were executed, as a list or the history says before it has their deals. */
  private noteFilled(executed: readonly OwnedTicket[], turn: Turn): void {
    const change = this.ocoAfter(executed);
    if (!change.strategy) return;
    this.state.persist(change, turn);
    this.cancelSuperseded(executed, turn);
  }

  private lostStops({ broker, lost, digits }: EventOf<'lost stops'>, turn: Turn): void {
    const { state } = this;
    for (const { noted, ...action } of stopActions(state.holdings, { broker, lost, digits })) {
      // Before the request: another start must not act on the same loss again.
      state.persist({ tickets: [noted] }, turn);
      turn.out.push({ type: 'lost stop', action });
    }
  }

  private deals(event: EventOf<'deals'>, turn: Turn): void {
    const { broker, ticket, deals, follows, mayCostMore = false } = event;
    const { state } = this;
    const { book, intents } = state;
    // Of a position that is closed as well.
    if (mayCostMore) this.bookLateCosts(event, turn);
    if (!book.owns(broker, ticket)) return;
    const { inFlight } = state.holdings;
    const { change, fills } = book.booking(broker, ticket, deals, (deal) => {
      return intents.of(broker, deal, inFlight) ?? (deal.order === follows?.ticket ? follows.intentId : null);
    });
    const executed = this.executedBy(broker, deals, fills);
    const booked =
      mayCostMore && change.strategy ? { ...change, strategy: withAmounts(change.strategy, broker, fills) } : change;
    if (booked.tickets)
      state.persist({ ...booked, ...this.stacksAfter(fills), ...this.ocoAfter(executed, booked) }, turn);
    book.noteBooked(broker, ticket, deals);
    if (fills.length > 0) turn.out.push({ type: 'filled', fills });
    this.cancelSuperseded(executed, turn);
    const owned = book.find(broker, ticket);
    const isOpenEnded = owned !== null && (isWorking(owned) || owned.volumeIn === '0');
    if (isOpenEnded && !book.orderRow(broker, ticket)) turn.out.push({ type: 'read order', broker, ticket });
  }

  private bookLateCosts({ broker, ticket, deals }: EventOf<'deals'>, turn: Turn): void {
    const { state } = this;
    const { record } = state.book;
    const strategy = withLateCosts(record, broker, deals);
    if (strategy === record) return;
    const by = new Decimal(strategy.realized).minus(record.realized);
    const reason = `the deals of position ${ticket} bring ${by.toFixed()} more than when they were booked`;
    turn.out.push({ type: 'warn', reason });
    state.persist({ strategy }, turn);
  }

  /** The stacks after fills: they become durable with the booking of their deals, because fills do not come again. */
  private stacksAfter(fills: readonly Fill[]): Change {
    const { state } = this;
    if (fills.length === 0 || state.stacks.open.length === 0) return {};
    const { stacks, effects } = next(state.stacks, { type: 'filled', fills }, state.holdings);
    state.stacks = stacks;
    const changed = effects.flatMap((effect) => (effect.type === 'persist' ? [effect.stack] : []));
    return changed.length === 0 ? {} : { stacks: changed };
  }

  /** The orders of groups that these new fills executed. */
  private executedBy(broker: string, deals: readonly DealRecord[], fills: readonly Fill[]): readonly OwnedTicket[] {
    const { book } = this.state;
    if (fills.length === 0 || book.openTickets.every(({ oco }) => oco === undefined)) return [];
    const orders = new Set(
      deals.filter(({ ticket }) => fills.some(({ deal }) => deal === ticket)).map(({ order }) => order),
    );
    const owned = [...orders].flatMap((order) => book.find(broker, order) ?? []);
    return owned.filter(({ oco }) => oco !== undefined);
  }

  /** The filled groups after these orders were executed: they become durable with the booking, because fills do not come again. */
  private ocoAfter(executed: readonly OwnedTicket[], { strategy }: Change = {}): Change {
    const { holdings, book } = this.state;
    if (executed.every(({ oco }) => oco === undefined)) return {};
    return { strategy: { ...(strategy ?? book.record), filledOco: withExecuted(holdings, executed) } };
  }

  /** Cancels the other orders of groups of which an order was executed. */
  private cancelSuperseded(executed: readonly OwnedTicket[], { out }: Turn): void {
    const { book, holdings } = this.state;
    for (const owned of executed) {
      const first = filledFirst(book.record, owned.oco);
      if (!first) continue;
      if (isSuperseded(book.record, owned)) {
        const reason = `order ${owned.ticket} filled after order ${first.ticket} of the same group: both positions stay open`;
        out.push({ type: 'warn', reason });
      }
      for (const sweep of supersededSweeps(holdings)) out.push({ type: 'cancel', sweep });
    }
  }

  /** An order that no longer waits has ended: filled, in part, or not at all, into a position of its own or another. */
  private order({ broker, ticket, order, owner, isHedging }: EventOf<'order'>, turn: Turn): void {
    const { state } = this;
    const { book } = state;
    const owned = book.find(broker, ticket);
    if (!owned || !order) return;
    // A broker that replaces an order cancels it. Where it goes on is known with the answer.
    if (order.state === OrderState.CANCELED && mayBeReplaced(state.requests, broker, ticket)) return;
    const isSeen = book.positionRow(broker, ticket) !== undefined;
    const end = orderEnd(owned, order, { isHedging, isSeen });
    const isExternal = end.kind === 'into' && owner === null && !book.owns(broker, end.position);
    const isUnknown = owned.oco !== undefined && !filledFirst(book.record, owned.oco);
    if ((end.kind === 'not yet' || isExternal) && isUnknown && hasFilled(order)) this.noteFilled([owned], turn);
    if (end.kind === 'not yet') return;
    if (end.kind === 'over' && end.changed) state.persist({ tickets: [end.changed] }, turn);
    if (end.kind === 'into') {
      const { position } = end;
      if (isExternal) {
        // An in-flight request may have opened it; wait for its answer.
        if (state.inFlightOn(broker) > 0) return;
        return void turn.out.push({ type: 'read external deals', broker, ticket, order, position });
      }
      state.persist({ tickets: [endedTicket(owned)], ...this.ocoAfter([owned]) }, turn);
      this.cancelSuperseded([owned], turn);
      if (owner !== null && owner !== owned.strategy) this.filledInto(broker, position, turn);
      turn.out.push({ type: 'read deals', broker, ticket: position, follows: followed(owned) });
    }
    this.emitGone(owned, order, turn);
  }

  /** Netting: the order filled into a position that the strategy did not open, and which becomes its own. */
  private externalDeals(event: EventOf<'external deals'>, turn: Turn): void {
    const { broker, ticket, order, position, deals } = event;
    const { state } = this;
    const owned = state.book.find(broker, ticket);
    const taken = owned && positionTicket(owned, position, deals);
    // The broker does not show the deal of the order yet.
    if (!owned || !taken) return;
    state.persist({ tickets: [endedTicket(owned), taken], ...this.ocoAfter([owned]) }, turn);
    this.cancelSuperseded([owned], turn);
    this.filledInto(broker, position, turn);
    turn.out.push({ type: 'read deals', broker, ticket: position, follows: followed(owned) });
    this.emitGone(owned, order, turn);
  }

  /** Once, however late its deals arrive. */
  private emitGone(owned: OwnedTicket, order: OrderFacts, { out }: Turn): void {
    const gone = goneOf(owned, order);
    if (gone) out.push({ type: 'gone', gone });
  }

  private filledInto(broker: string, position: number, turn: Turn): void {
    this.react(reactionToFillInto(position, this.state.book, broker), turn);
  }

  private seen({ marketMs, quotes, moneyDigits }: EventOf<'account seen'>, turn: Turn): void {
    const { state, orders } = this;
    const { book } = state;
    if (state.stacks.open.length > 0) orders.stack({ type: 'account seen', marketMs }, turn);
    // Each is confirmed by the books: one that could not be cancelled is still there at the next look.
    this.sweep({ type: 'sweep', marketMs, quotes }, turn);
    this.exit(turn);
    // Retried until the disk accepts it: entries are denied until then.
    if (state.isUnsaved) state.persist({ strategy: book.record }, turn);
    // Positions at a gateway without a snapshot count as nothing: this is neither a loss nor the baseline of a day.
    if (book.isEquityKnown) this.limits(book.equity, { marketMs, moneyDigits }, turn);
  }

  /** An account that is not shown keeps no strategy from getting flat: the books know the tickets, and each answer decides. */
  private unread({ broker, marketMs, quotes }: EventOf<'account unread'>, turn: Turn): void {
    for (const sweep of sweepsOf(this.state.holdings, marketMs, quotes, broker))
      turn.out.push({ type: 'cancel', sweep });
    this.exit(turn, broker);
  }

  private exit({ at, out }: Turn, unread: string | null = null): void {
    const { holdings, requests } = this.state;
    for (const exit of forcedExits(holdings, requests, at.nowMs, unread)) out.push({ type: 'close', exit });
  }

  private limits(
    equity: Decimal,
    { marketMs, moneyDigits }: Pick<EventOf<'equity'>, 'marketMs' | 'moneyDigits'>,
    turn: Turn,
  ): void {
    const { state } = this;
    const { record, spec } = state.book;
    const date = new Date(marketMs).toISOString().slice(0, 10);
    const after = afterEquity(record, spec.risk, equity, date, turn.at.nowMs, moneyDigits);
    if (after === record) return;
    state.persist({ strategy: after }, turn);
    if (after.halt !== null && after.halt !== record.halt) this.halted(after.halt, turn);
  }

  private sweep({ marketMs, quotes }: EventOf<'sweep'>, { out }: Turn): void {
    for (const sweep of sweepsOf(this.state.holdings, marketMs, quotes)) out.push({ type: 'cancel', sweep });
  }

  private halt(wanted: HaltRecord, turn: Turn, byOperator?: true): void {
    const { state } = this;
    const { record } = state.book;
    // Another halt does not stop the closing of positions; only the operator does.
    const halt = record.halt?.flattens === true ? { ...wanted, flattens: true } : wanted;
    state.persist({ strategy: { ...record, halt } }, turn);
    this.halted(halt, turn, byOperator);
  }

  /** A halted strategy enters nothing. */
  private halted(halt: HaltRecord, turn: Turn, byOperator?: true): void {
    turn.out.push(byOperator === true ? { type: 'halted', halt, byOperator } : { type: 'halted', halt });
    this.orders.stack({ type: 'halted', reason: `halted: ${halt.reason}` }, turn);
  }

  private react(reaction: ExternalReaction, turn: Turn): void {
    const { state } = this;
    switch (reaction.type) {
      case 'none':
        return;
      case 'warn':
        return void turn.out.push(reaction);
      case 'halt':
        return this.halt({ kind: 'persistent', reason: reaction.reason, atMs: turn.at.nowMs }, turn);
      case 'adopt':
        turn.out.push({ type: 'adopted', tickets: reaction.tickets });
        return void state.persist(state.book.claiming(reaction.tickets), turn);
    }
  }
}

function followed({ ticket, intentId }: FollowedOrder): FollowedOrder {
  return { ticket, intentId };
}

function haltOf({ kind, reason, flattens = false }: EventOf<'halt'>, atMs: number): HaltRecord {
  return { kind, reason, atMs, ...(flattens ? { flattens } : {}) };
}
