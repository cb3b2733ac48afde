import {
  BarPath,
  beyondOf,
  commissionOf,
  Conversion,
  difference,
  isCrossed,
  isPrice,
  isReached,
  isStopLimit,
  levels,
  levelTrigger,
  marginEstimate,
  marginMultiplier,
  narrowToLevels,
  noBounds,
  orderMargin,
  PositionProfit,
  roundedProfit,
  roundedSwap,
  slipped,
  stopsRefusal,
  sum,
  swapDays,
  swapShare,
  symbolTerms,
  valuedTerms,
  volumeRefusal,
  type Bounds,
  type Level,
  type TicketSequence,
} from '@libs/simulator';
import type { ModifyOrderRequest } from '@libs/gateway-client';
import {
  levelsDraft,
  OrderRefusal,
  volumeToClose,
  type LevelChange,
  type Market,
  type OrderLimits,
} from '@libs/order-drafts';
import {
  DealEntry,
  isBuyOrder,
  OrderType,
  PositionType,
  snapPrice,
  snapVolume,
  type SymbolInfo,
} from '@libs/terminal-client';
import type { EntryOptions, Fill, OrderGone, Position, Side, Trail } from '@libs/strategy';
import { symbolTermsOf, type BrokerSymbol, type BrokerTerms } from '../../market-data/symbol-spec';
import { termsOf } from '../../core/book-view';
import { entryRequest } from '../../core/intent-call';
import { trailOf } from '../../core/trails';
import { broker } from '../backtest-core';
import { judgedOrder } from '../backtest-gateway';
import type { PositionCosts } from '../backtest-market';
import { sum as exactTotal } from '../exact-sum';
import type { Tally } from '../figures';
import type { KernelMarket } from './kernel-market';
import { KernelOrders } from './kernel-orders';
import { changeOf, placingOf, type KernelOrder, type PlacingDesk } from './kernel-placing';
import { KernelTally } from './kernel-tally';
import { KernelTrail } from './kernel-trail';
import { NeedsEngineError } from './needs-engine-error';

const dayMs = 86_400_000;
const everyPrice = noBounds();
/** Sums of money are as near as doubles are up to this amount. */
const mostEquity = 1e9;
/** Units of the currency's last digit that a double counts exactly, thousands of such amounts together. */
const mostUnits = 2 ** 40;
/** Minutes that are searched at a time for the first one in which something may happen. */
const mostSearched = 64;
const none: readonly Fill[] = [];
const noOrders: readonly KernelOrder[] = [];

/** The deals of a run, and what each position was charged. */
export interface KernelLedger {
  readonly fills: Fill[];
  readonly costs: Map<number, PositionCosts>;
}

/** An open position; money in the account's currency, and the members that the simulator's rules read by their names. */
export interface KernelPosition {
  readonly ticket: number;
  readonly type: number;
  volume: number;
  readonly price_open: number;
  sl: number;
  tp: number;
  swap: number;
  /** Margin by the price of its opening. */
  margin: number;
  trail: KernelTrail | null;
  readonly intentId: string;
  readonly tag: string | null;
  /** Its floating result, swap not included, of the present volume. */
  profit: PositionProfit;
  /** What its deals were charged so far, as the broker's history adds it up. */
  readonly costs: { commission: number; swap: number; readonly fee: 0 };
  /** Results of its deals so far, in units of the currency's last digit. */
  realizedUnits: number;
  /** When it was opened, on the server's clock, and what that is in UTC milliseconds. */
  readonly serverMs: number;
  readonly openedMs: number;
}

/**
 * The account of one run and what the broker does to it: the rules are the simulator's own, called where something happens. What
 * needs more than these rules, or is too near to a refusal to be sure, ends the run with a {@link NeedsEngineError}.
 */
export class KernelAccount {
  readonly positions: KernelPosition[] = [];
  private readonly tally: KernelTally;
  /** The present quote. It changes in place. */
  readonly quote = { timeMs: 0, bid: 0, ask: 0 };
  readonly pending: KernelOrders;
  /** Whether a position has a trailing stop. */
  isTrailed = false;
  /** Fills since the last look, where they are wanted, and the volumes of all of them. */
  private news: Fill[] = [];
  private newVolumes: number[] = [];
  private realizedUnits = 0;
  private readonly units: number;
  private readonly capitalUnits: number;
  private balance: number;
  private readonly digits: number;
  private readonly conversion: Conversion<{ readonly spec: KernelMarket['listing']['spec'] }>;
  private readonly info: Readonly<SymbolInfo>;
  /** What no price changes. */
  readonly terms: BrokerTerms;
  private readonly orders: TicketSequence;
  private readonly deals: TicketSequence;
  private readonly beyond: number;
  private readonly slippage: number;
  private bounds: Bounds | null = null;
  /** Between these, no level is reached and the margin call is far. */
  private bidLow = Number.NEGATIVE_INFINITY;
  private bidHigh = Number.POSITIVE_INFINITY;
  private askLow = Number.NEGATIVE_INFINITY;
  private askHigh = Number.POSITIVE_INFINITY;
  /** Whether no price of the market is outside of these. */
  private isQuietAlways = false;
  /** The minute up to which nothing is known to happen, while these stay as they are. */
  private knownQuietUntil = 0;
  /** The minute in which the server's day ends. */
  private dayEndMinute = 0;
  private nextDayEndMs = Number.POSITIVE_INFINITY;
  /** At least the margin of all positions. */
  private margin = 0;
  private dayEnd = 0;
  /** Lots as they are sent, by the volume asked for. */
  private readonly lots = new Map<number, number>();
  /** Commissions by volume. */
  private readonly commissionsIn = new Map<number, number>();
  private readonly commissionsOut = new Map<number, number>();

  /**
   * @param quotes number of the quotes that are past at the start
   * @param ledger receives what is dealt; null: nothing is made of it but the figures
   */
  constructor(
    private readonly market: KernelMarket,
    capital: number,
    private readonly limits: OrderLimits,
    quotes: number,
    private readonly ledger: KernelLedger | null,
  ) {
    const { listing, stream } = market;
    const { spec, account, tickets } = listing;
    this.digits = account.currencyDigits;
    this.units = 10 ** this.digits;
    this.tally = new KernelTally(this.units);
    this.capitalUnits = Math.round(capital * this.units);
    this.balance = capital;
    const symbols = new Map([[stream.symbol, { spec }]]);
    this.conversion = new Conversion({ symbols, quote: () => this.quote }, account.currency);
    this.info = symbolTerms({ spec });
    this.terms = symbolTermsOf(this.info);
    [this.orders, this.deals] = [tickets.orders.copy(), tickets.deals.copy()];
    this.beyond = beyondOf(spec, listing.source.limitFill);
    this.slippage = account.slippagePoints ?? 0;
    this.pending = new KernelOrders(stream);
    this.take(quotes - 1);
    while ((market.dayEnds[this.dayEnd] ?? Infinity) <= this.quote.timeMs) this.dayEnd++;
    this.dayEndChanged();
  }

  /** Whether a price may fill or close something. */
  get isWaiting(): boolean {
    return this.positions.length > 0 || this.pending.waiting.length > 0;
  }

  /** Results of all deals, costs included. */
  get realized(): number {
    return this.realizedUnits / this.units;
  }

  /** Floating results of the open positions, swap included. */
  get unrealized(): number {
    return exactTotal(this.positions.flatMap((position) => [this.floating(position), position.swap]));
  }

  /** Capital, results and what is open at present prices. */
  get equity(): number {
    return this.equityAt(this.quote.bid, this.quote.ask);
  }

  /** The {@link equity} at some prices. */
  equityAt(bid: number, ask: number): number {
    if (this.positions.length === 0) return this.balance;
    let total = this.balance;
    for (const { type, profit, swap } of this.positions)
      total += profit.at(type === PositionType.BUY ? bid : ask) + swap;
    if (!(Math.abs(total) < mostEquity)) throw new NeedsEngineError('the equity is beyond the kernel');
    return Math.round(total * 1e6) / 1e6;
  }

  /** What the figures of the whole run are made of, at its end. */
  total(startMs: number, endMs: number, rejects: number): Tally {
    const { realized, unrealized, positions } = this;
    return this.tally.total({ startMs, endMs, realized, unrealized, rejects }, positions);
  }

  /** Whether nothing happens at a quote: only the equity changes. */
  isQuiet(at: number): boolean {
    const { times, bids, asks } = this.market.quotes;
    const bid = bids[at] ?? 0;
    const ask = asks[at] ?? 0;
    return (
      bid > this.bidLow &&
      bid < this.bidHigh &&
      ask > this.askLow &&
      ask < this.askHigh &&
      (times[at] ?? 0) < this.nextEventMs
    );
  }

  /**
   * The first minute from one on in which something may happen while the strategy does nothing. It is not far where that has to
   * be searched: mostly the strategy acts before.
   */
  quietUntil(minute: number): number {
    const { count, starts } = this.market.minutes;
    if (!this.isWaiting) return count;
    // They follow the price of each minute.
    if (this.isTrailed) return minute;
    if (this.isQuietAlways && this.pending.nextExpiryMs === Infinity) return Math.max(minute, this.dayEndMinute);
    let until = Math.max(minute, this.knownQuietUntil);
    const limit = Math.min(minute + mostSearched, count);
    while (until < limit && this.isQuietMinute(until, (starts[until + 1] ?? 0) - 1)) until++;
    return (this.knownQuietUntil = until);
  }

  /** Whether nothing happens in a minute up to its last quote, as {@link isQuiet}. */
  isQuietMinute(minute: number, last: number): boolean {
    const { minutes, quotes } = this.market;
    if ((quotes.times[last] ?? 0) >= this.nextEventMs) return false;
    const isQuiet =
      this.isQuietAlways ||
      ((minutes.bidLows[minute] ?? 0) > this.bidLow &&
        (minutes.bidHighs[minute] ?? 0) < this.bidHigh &&
        (minutes.askLows[minute] ?? 0) > this.askLow &&
        (minutes.askHighs[minute] ?? 0) < this.askHigh);
    return isQuiet && (!this.isTrailed || this.passTrails(minutes.bidHighs[minute] ?? 0, minutes.askLows[minute] ?? 0));
  }

  /** Shows the trailing stops the best prices of a minute. @returns false, and shows nothing, if one of them may move */
  private passTrails(bidHigh: number, askLow: number): boolean {
    const { positions } = this;
    const bestOf = ({ type }: KernelPosition): number => (type === PositionType.BUY ? bidHigh : askLow);
    if (!positions.every((each) => each.trail?.staysUpTo(bestOf(each), each) ?? true)) return false;
    for (const each of positions) each.trail?.note(bestOf(each));
    return true;
  }

  /** Moves to a quote: what is due by time, then what the price reaches. @returns whether there is something to look at */
  advance(at: number): boolean {
    const isQuiet = this.isQuiet(at);
    const { quotes } = this.market;
    const timeMs = quotes.times[at] ?? 0;
    if (timeMs >= this.nextDayEndMs) {
      this.take(at - 1);
      this.passDayEnds(timeMs, at);
    }
    this.take(at);
    if (isQuiet || !this.isWaiting) return false;
    // An order that lapses at this instant does not see its quote.
    const lapses = timeMs >= this.pending.nextExpiryMs;
    if (lapses) {
      this.pending.lapse(timeMs);
      this.watch();
    }
    if (this.bounds !== null && isCrossed(this.bounds, this.quote)) {
      if (quotes.insides[at] === 1) this.walk(quotes.bids[at - 1] ?? 0, quotes.asks[at - 1] ?? 0);
      else this.carryOut();
    }
    this.watchPrices();
    return lapses || this.newVolumes.length > 0;
  }

  /** Takes the prices of a quote at which nothing happens. */
  take(at: number): void {
    const { times, bids, asks } = this.market.quotes;
    this.quote.timeMs = times[at] ?? 0;
    this.quote.bid = bids[at] ?? 0;
    this.quote.ask = asks[at] ?? 0;
  }

  /** Moves to an instant without a further quote. */
  passTime(untilMs: number): void {
    this.passDayEnds(untilMs, null);
  }

  /** The fills since the last look, in the order of their deals; none where no ledger is kept. They count from now on. */
  look(): readonly Fill[] {
    const { news, newVolumes, ledger } = this;
    if (newVolumes.length === 0) return none;
    for (const volume of newVolumes) this.tally.noteSpread(this.halfSpread(volume));
    this.newVolumes = [];
    if (ledger === null) return none;
    this.news = [];
    ledger.fills.push(...news);
    return news;
  }

  /** The orders that ended without a fill since the last look, and those that are cancelled because another of their group filled. */
  lookAtOrders(): readonly OrderGone[] {
    const gone = this.pending.look();
    if (gone.length > 0) this.watch();
    return gone;
  }

  /** @returns why the gateway does not send it; null when it is done */
  enter(side: Side, options: EntryOptions, intentId: string, oco: string | null = null): OrderRefusal | null {
    const { kind = 'market', volume: asked, sl = 0, tp = 0, tag = null, deviation } = options;
    if (kind !== 'market') return this.place(side, options, intentId, oco);
    const { spec } = this.market.listing;
    const volume = this.lotsOf(asked);
    const isBuy = side === 'buy';
    const quoted = isBuy ? this.quote.ask : this.quote.bid;
    const stop = sl === 0 ? 0 : snapPrice(sl, this.info);
    const target = tp === 0 ? 0 : snapPrice(tp, this.info);
    const isFar = stopsRefusal(spec, isBuy, isBuy ? this.quote.bid : this.quote.ask, stop, target) === null;
    const isLevelled = stop >= 0 && target >= 0 && (sl === 0 || stop !== 0) && (tp === 0 || target !== 0) && isFar;
    if (!isLevelled || !(volume > 0) || deviation !== undefined) {
      const refusal = this.entryRefusal(side, options);
      if (refusal) return refusal;
      if (!isLevelled) throw new NeedsEngineError('a level was refused');
      if (!(volume > 0)) throw new NeedsEngineError('a volume was refused');
    }
    this.mustTrade(quoted);
    const margin = this.marginOf(isBuy, volume, quoted);
    const price = slipped(quoted, this.slippage, isBuy, spec);
    this.open({ ticket: this.orders.next(), isBuy, volume, price, sl: stop, tp: target, margin, intentId, tag });
    return null;
  }

  /** The margin of an opening at a price. What comes near to what the account has is for the engine to decide. */
  private marginOf(isBuy: boolean, volume: number, price: number): number {
    const { spec, account } = this.market.listing;
    const rate = this.conversion.amountFactor(spec.currency_margin, !isBuy);
    const type = isBuy ? OrderType.BUY : OrderType.SELL;
    const margin = marginEstimate(spec, volume, price, account.leverage) * rate * marginMultiplier(spec, type);
    if ((this.margin + margin) * 1.01 + 1 < this.estimate() * 0.99) return margin;
    throw new NeedsEngineError('the margin was short');
  }

  private open({
    ticket,
    isBuy,
    volume,
    price,
    sl,
    tp,
    margin,
    intentId,
    tag,
  }: Pick<KernelPosition, 'ticket' | 'volume' | 'sl' | 'tp' | 'margin' | 'intentId' | 'tag'> & {
    readonly isBuy: boolean;
    readonly price: number;
  }): void {
    const { clock } = this.market.listing;
    const serverMs = clock.serverMs(this.quote.timeMs);
    const held = isBuy ? PositionType.BUY : PositionType.SELL;
    const position: KernelPosition = {
      ticket,
      type: held,
      volume,
      price_open: price,
      sl,
      tp,
      swap: 0,
      margin,
      trail: null,
      intentId,
      tag,
      profit: this.profitOf(held, volume, price),
      costs: { commission: 0, swap: 0, fee: 0 },
      realizedUnits: 0,
      serverMs,
      openedMs: clock.utcMs(serverMs),
    };
    this.ledger?.costs.set(ticket, position.costs);
    const side = isBuy ? 'buy' : 'sell';
    this.deal({ position, side, entry: 'in', reason: 'strategy', volume, price, intentId }, 0, 0);
    this.positions.push(position);
    this.watch();
  }

  /** Places a pending order. @returns as {@link enter} */
  private place(side: Side, options: EntryOptions, intentId: string, oco: string | null): OrderRefusal | null {
    const placing = placingOf(this.desk, entryRequest(this.market.stream.symbol, side, options, 0));
    if (placing instanceof OrderRefusal) return placing;
    const { limitOrders } = this.market.listing.account;
    if (limitOrders > 0 && this.pending.waiting.length >= limitOrders)
      throw new NeedsEngineError('an order was refused');
    this.pending.place(placing, { ticket: this.orders.next(), intentId, tag: options.tag ?? null, oco });
    this.watch();
    // One that is at the market already is met at once.
    this.carryOut();
    return null;
  }

  /** @param asked the gateway's request for the change @returns as {@link enter} */
  change(order: KernelOrder, asked: ModifyOrderRequest): OrderRefusal | null {
    const placing = changeOf(this.desk, order, asked);
    if (placing instanceof OrderRefusal) return placing;
    this.pending.change(order, placing);
    this.watch();
    return null;
  }

  cancel(order: KernelOrder): void {
    this.pending.end(order, 'cancelled');
    this.watch();
  }

  private get desk(): PlacingDesk {
    return { listing: this.market.listing, limits: this.limits, market: this.present };
  }

  /** By the rules of the gateway; they are asked where it may refuse. */
  private entryRefusal(side: Side, options: EntryOptions): OrderRefusal | null {
    const request = entryRequest(this.market.stream.symbol, side, options, 0);
    const order = judgedOrder(request, this.limits, this.present);
    return order instanceof OrderRefusal ? order : null;
  }

  /** @param asked lots; null: all of it @returns as {@link enter} */
  close(ticket: number, asked: number | null, intentId: string): OrderRefusal | null {
    const position = this.find(ticket);
    const part = { volume: asked, volumeField: 'position.volume', partOnly: false };
    const volume = volumeToClose(part, position, this.info);
    const { spec } = this.market.listing;
    if (volume instanceof OrderRefusal) return volume;
    if (volumeRefusal(spec, volume) !== null) throw new NeedsEngineError('a volume was refused');
    const isBuy = position.type === PositionType.SELL;
    const quoted = isBuy ? this.quote.ask : this.quote.bid;
    this.mustTrade(quoted);
    const price = slipped(quoted, this.slippage, isBuy, spec);
    this.reduce(position, volume, price, 'strategy', intentId);
    return null;
  }

  /** @returns as {@link enter} */
  protect(ticket: number, change: LevelChange): OrderRefusal | null {
    const position = this.find(ticket);
    const { spec } = this.market.listing;
    const { bid, ask } = this.quote;
    const { type, sl, tp } = position;
    const named = { ticket, type, sl, tp, symbol: spec.name, magic: 0 };
    const draft = levelsDraft(named, change, this.present);
    if (draft instanceof OrderRefusal) return draft;
    if (draft.sl === sl && draft.tp === tp) return null;
    const isBuy = type === PositionType.BUY;
    if (stopsRefusal(spec, isBuy, isBuy ? bid : ask, draft.sl, draft.tp) !== null) {
      throw new NeedsEngineError('a level was refused');
    }
    this.mustTrade(0);
    position.sl = draft.sl;
    position.tp = draft.tp;
    this.watch();
    return null;
  }

  /** @param terms null ends the trailing stop */
  trail(ticket: number, terms: Trail | null, intentId: string): void {
    const position = this.find(ticket);
    const side = position.type === PositionType.BUY ? 'buy' : 'sell';
    position.trail = terms && new KernelTrail(trailOf(intentId, side, terms), this.terms);
    this.isTrailed = this.positions.some(({ trail }) => trail !== null);
  }

  /** Shows the trailing stops the present quote, and moves the stop-losses that are due. */
  moveStops(): void {
    if (!this.isTrailed) return;
    for (const position of this.positions) {
      const sl = position.trail?.follow(position, this.quote) ?? null;
      if (sl === null) continue;
      const refusal = this.protect(position.ticket, { sl, tp: null, clear_sl: false, clear_tp: false });
      if (refusal !== null) throw new NeedsEngineError('a move of a trailing stop was refused');
    }
  }

  isOpen(ticket: number): boolean {
    return this.positions.some((one) => one.ticket === ticket);
  }

  /** What the gateway's rules judge by. */
  private get present(): Market {
    const { bid, ask, timeMs } = this.quote;
    const tick = { time: 0, bid, ask, last: 0, volume: 0, time_msc: 0, flags: 0, volume_real: 0 };
    return { info: this.info, tick, nowMs: timeMs };
  }

  /** The open positions as the strategy sees them, oldest first. */
  shown(): Position[] {
    const { stream } = this.market;
    const { positions } = this;
    const oldestFirst =
      positions.length < 2 ? positions : [...positions].sort((a, b) => a.serverMs - b.serverMs || a.ticket - b.ticket);
    return oldestFirst.map((position) => ({
      ticket: position.ticket,
      stream: stream.alias,
      intentId: position.intentId,
      tag: position.tag,
      broker,
      symbol: stream.symbol,
      side: position.type === PositionType.BUY ? 'buy' : 'sell',
      volume: position.volume,
      avgPrice: position.price_open,
      sl: position.sl,
      tp: position.tp,
      trail: position.trail && termsOf(position.trail.record),
      unrealized: exactTotal([this.floating(position), position.swap]),
      openedAtMs: position.openedMs,
    }));
  }

  /** The specification of the symbol at present prices. */
  symbol(): BrokerSymbol {
    const { spec, account } = this.market.listing;
    const { bid, ask } = this.quote;
    const one = { type: OrderType.BUY, volume: 1, price: ask };
    return {
      ...symbolTermsOf(valuedTerms(spec, this.conversion, bid)),
      marginPerLot: orderMargin(spec, one, account, this.conversion),
    };
  }

  /** @param at the quote that comes next; null if none does */
  private passDayEnds(untilMs: number, at: number | null): void {
    const { dayEnds, quotes } = this.market;
    for (let endMs = dayEnds[this.dayEnd] ?? Infinity; endMs <= untilMs; endMs = dayEnds[++this.dayEnd] ?? Infinity) {
      // The quote of that instant is known by then.
      if (at !== null && endMs === quotes.times[at]) this.take(at);
      if (this.positions.length > 0) this.chargeSwap(endMs);
    }
    this.dayEndChanged();
  }

  private dayEndChanged(): void {
    const { market } = this;
    this.nextDayEndMs = market.dayEnds[this.dayEnd] ?? Infinity;
    this.dayEndMinute = market.minuteAt(this.nextDayEndMs);
    this.knownQuietUntil = 0;
  }

  private chargeSwap(endMs: number): void {
    const { spec, clock } = this.market.listing;
    const days = swapDays(spec, new Date(clock.serverMs(endMs) - dayMs / 2).getUTCDay());
    if (days === 0) return;
    for (const position of this.positions) {
      const { type, volume, price_open: open } = position;
      const charge = { spec, type, volume, open, price: this.closePrice(position), days };
      position.swap = sum(position.swap, roundedSwap(charge, this.conversion, this.digits));
    }
  }

  /** Fills what the path from the last quote of a bar to this one reaches, in the order of the path. */
  private walk(bid: number, ask: number): void {
    const path = new BarPath({ bid, ask }, this.quote, this.market.listing.spec.digits);
    /** Where orders and positions came into being on it, by ticket; the start for all others. */
    const since = new Map<number, number>();
    for (;;) {
      let first: { readonly position: KernelPosition; readonly level: Level; share: number; price: number } | null =
        null;
      for (const position of this.positions) {
        for (const level of levels) {
          const trigger = levelTrigger(position, level);
          const crossing = trigger && path.crossing(trigger, since.get(position.ticket) ?? 0, this.beyond);
          if (crossing && (first === null || crossing.share < first.share)) first = { position, level, ...crossing };
        }
      }
      const due = this.pending.waiting.length === 0 ? null : this.pending.firstOn(path, since, this.beyond);
      // At one point orders come before levels.
      if (due !== null && (first === null || due.share <= first.share)) {
        path.show(due.share, this.quote);
        since.set(due.order.ticket, due.share);
        if (isStopLimit(due.order.type)) {
          this.pending.convert(due.order);
          this.watch();
        } else this.fill(due.order, due.price);
        continue;
      }
      if (first === null) break;
      path.show(first.share, this.quote);
      this.closeAtLevel(first.position, first.level, first.price);
    }
    path.show(1, this.quote);
  }

  /** Fills what a quote after a gap has reached, at the quote. */
  private carryOut(): void {
    const due = this.pending.waiting.length === 0 ? noOrders : this.pending.dueAt(this.quote, this.beyond);
    for (const order of due) this.fill(order, isBuyOrder(order.type) ? this.quote.ask : this.quote.bid);
    // Some of them may wait for something else now.
    if (this.pending.waiting.length > 0) this.watch();
    for (const position of [...this.positions]) {
      const level = levels.find((name) => {
        const trigger = levelTrigger(position, name);
        return trigger !== null && isReached(trigger, this.quote, this.beyond);
      });
      if (level !== undefined) this.closeAtLevel(position, level, this.closePrice(position));
    }
  }

  /** Opens the position of a pending order whose price has come. */
  private fill(order: KernelOrder, reached: number): void {
    const { ticket, type, volume_current: volume, sl, tp, intentId, tag } = order;
    const isBuy = isBuyOrder(type);
    const isLimit = type === OrderType.BUY_LIMIT || type === OrderType.SELL_LIMIT;
    const price = slipped(reached, isLimit ? 0 : this.slippage, isBuy, this.market.listing.spec);
    const margin = this.marginOf(isBuy, volume, price);
    this.pending.fill(order);
    this.open({ ticket, isBuy, volume, price, sl, tp, margin, intentId, tag });
  }

  private closeAtLevel(position: KernelPosition, level: Level, reached: number): void {
    const isBuy = position.type === PositionType.SELL;
    const price = slipped(reached, level === 'tp' ? 0 : this.slippage, isBuy, this.market.listing.spec);
    this.reduce(position, position.volume, price, level, null);
  }

  private reduce(
    position: KernelPosition,
    volume: number,
    price: number,
    reason: Fill['reason'],
    intentId: string | null,
  ): void {
    const { type, price_open: open } = position;
    const isWhole = volume === position.volume;
    const profit = (isWhole ? position.profit : this.profitOf(type, volume, open)).at(price);
    const swap = swapShare(position.swap, volume, position.volume, this.digits);
    // A closing order has a ticket, too.
    this.orders.next();
    const side = type === PositionType.BUY ? 'sell' : 'buy';
    this.deal({ position, side, entry: 'out', reason, volume, price, intentId }, profit, swap);
    position.margin *= 1 - volume / position.volume;
    position.volume = difference(position.volume, volume);
    position.swap = difference(position.swap, swap);
    if (!isWhole) position.profit = this.profitOf(type, position.volume, open);
    if (position.volume === 0) {
      this.positions.splice(this.positions.indexOf(position), 1);
      this.tally.close(position, this.dealMs);
    }
    this.watch();
  }

  /** Books a deal. */
  private deal(
    fill: Pick<Fill, 'side' | 'entry' | 'reason' | 'volume' | 'price' | 'intentId'> & {
      readonly position: KernelPosition;
    },
    profit: number,
    swap: number,
  ): void {
    const { position, side, entry, reason, volume, price, intentId } = fill;
    const commission = this.commissionOf(volume, entry);
    // Each of the three has the currency's digits, so that the sum is exact.
    const realizedUnits = this.inUnits(profit) + this.inUnits(commission) + this.inUnits(swap);
    this.realizedUnits += realizedUnits;
    position.realizedUnits += realizedUnits;
    this.balance = (this.capitalUnits + this.realizedUnits) / this.units;
    const { costs } = position;
    costs.commission += commission;
    costs.swap += swap;
    const deal = this.deals.next();
    this.newVolumes.push(volume);
    if (this.ledger === null) return;
    const { symbol, alias } = this.market.stream;
    this.news.push({
      intentId,
      deal,
      position: position.ticket,
      stream: alias,
      tag: position.tag,
      symbol,
      side,
      entry,
      reason,
      volume,
      price,
      realized: realizedUnits / this.units,
      timeMs: this.dealMs,
    });
  }

  /** The present instant as the deals of the broker's history have it. */
  private get dealMs(): number {
    const { clock } = this.market.listing;
    return clock.utcMs(clock.serverMs(this.quote.timeMs));
  }

  /** An amount of the currency in units of its last digit: a whole number, and exact. */
  private inUnits(amount: number): number {
    const units = Math.round(amount * this.units);
    if (!(Math.abs(units) < mostUnits)) throw new NeedsEngineError('an amount is beyond the kernel');
    return units;
  }

  /** The broker's commission, computed once for each volume. */
  private commissionOf(volume: number, entry: Fill['entry']): number {
    const known = entry === 'in' ? this.commissionsIn : this.commissionsOut;
    let commission = known.get(volume);
    if (commission === undefined) {
      const { spec } = this.market.listing;
      commission = commissionOf(spec, volume, entry === 'in' ? DealEntry.IN : DealEntry.OUT, this.digits);
      known.set(volume, commission);
    }
    return commission;
  }

  /** Sets what is waited for anew: positions or orders have changed. */
  private watch(): void {
    this.bounds = null;
    this.margin = 0;
    this.isTrailed = false;
    for (const position of this.positions) {
      this.margin += position.margin;
      if (position.trail !== null) this.isTrailed = true;
      if (position.sl === 0 && position.tp === 0) continue;
      this.bounds ??= noBounds();
      narrowToLevels(this.bounds, position);
    }
    if (this.pending.waiting.length > 0) this.pending.narrow((this.bounds ??= noBounds()));
    this.watchPrices();
  }

  /** Sets the prices between which nothing happens. The engine decides about accounts that come near their margin call. */
  private watchPrices(): void {
    const { bid, ask } = this.quote;
    this.knownQuietUntil = 0;
    const bounds = this.bounds ?? everyPrice;
    const move = this.positions.length === 0 ? Number.POSITIVE_INFINITY : this.affordedMove();
    this.bidLow = Math.max(bounds.bidBelow, Math.min(bid, Math.max(bid - move, bid / 2)));
    this.bidHigh = bounds.bidAbove;
    this.askLow = bounds.askBelow;
    this.askHigh = Math.min(bounds.askAbove, ask + move);
    const { range } = this.market;
    const isBidQuiet = range.bidLow > this.bidLow && range.bidHigh < this.bidHigh;
    this.isQuietAlways = isBidQuiet && range.askLow > this.askLow && range.askHigh < this.askHigh;
  }

  /** How far both prices may move against all positions before the margin call is near. */
  private affordedMove(): number {
    const { spec, account } = this.market.listing;
    const least =
      account.stopoutMode === 'percent' ? (account.marginCall / 100) * (this.margin * 1.01 + 1) : account.marginCall;
    const spare = this.estimate() - (least + 1) / 0.99;
    if (!(spare > 0)) throw new NeedsEngineError('the account came near its margin call');
    const isConverted = spec.currency_profit !== this.conversion.deposit;
    let worth = 0;
    for (const position of this.positions) {
      const price = this.closePrice(position);
      // A converted result changes most where the price has halved.
      const share = isConverted ? (4 * position.price_open) / (price * price) : 1;
      worth += spec.trade_contract_size * position.volume * share;
    }
    return spare / worth;
  }

  /** The equity in doubles, without rounding. */
  private estimate(): number {
    const { spec } = this.market.listing;
    let total = this.balance;
    for (const position of this.positions) {
      const { type, volume, price_open: open, swap } = position;
      const close = this.closePrice(position);
      const change = type === PositionType.BUY ? close - open : open - close;
      const isConverted = spec.currency_profit !== this.conversion.deposit;
      total += (change * spec.trade_contract_size * volume) / (isConverted ? close : 1) + swap;
    }
    return total;
  }

  private floating(position: KernelPosition): number {
    return position.profit.at(this.closePrice(position));
  }

  private profitOf(type: number, volume: number, open: number): PositionProfit {
    return new PositionProfit({ spec: this.market.listing.spec, type, volume, open }, this.conversion, this.digits);
  }

  /** The next instant at which something happens by time, in UTC milliseconds. */
  private get nextEventMs(): number {
    return Math.min(this.nextDayEndMs, this.pending.nextExpiryMs);
  }

  private closePrice({ type }: KernelPosition): number {
    return type === PositionType.BUY ? this.quote.bid : this.quote.ask;
  }

  /** Value of half the present spread on a fill. */
  private halfSpread(volume: number): number {
    const { bid, ask } = this.quote;
    const { spec } = this.market.listing;
    const worth = roundedProfit(
      { spec, type: OrderType.BUY, volume, open: bid, close: ask },
      this.conversion,
      this.digits,
    );
    return (worth ?? 0) / 2;
  }

  private find(ticket: number): KernelPosition {
    const position = this.positions.find((one) => one.ticket === ticket);
    if (position) return position;
    throw new NeedsEngineError('an action on a position that is not open was refused');
  }

  /** @throws NeedsEngineError where the market is closed, or a price off the grid */
  private mustTrade(price: number): void {
    const { listing } = this.market;
    if (!listing.isOpen(this.quote.timeMs)) throw new NeedsEngineError('the market was closed');
    if (!isPrice(listing.spec, price)) throw new NeedsEngineError('a price was refused');
  }

  /** NaN where the volume may be refused. */
  private lotsOf(asked: number): number {
    let lots = this.lots.get(asked);
    if (lots === undefined) {
      lots = snapVolume(asked, this.info) || asked;
      const isRefused = volumeRefusal(this.market.listing.spec, lots) !== null || !(asked <= this.limits.maxVolume);
      if (isRefused) lots = Number.NaN;
      this.lots.set(asked, lots);
    }
    return lots;
  }
}
