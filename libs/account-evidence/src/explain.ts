import { Decimal } from 'decimal.js';
import { countText, lotsText, moneyText } from '@libs/records';
import { DealEntry, isBuyOrder, OrderState, PositionType } from '@libs/trade-constants';
import { contradictingSums, lackingMargin } from './account-sums';
import { balanceChange, isSameMoney, netVolume, signedLots, sumUpTo } from './deal-sums';
import { isProfitOff } from './floating-profit';
import { roundedMoney } from './money-digits';
import type {
  AccountLook,
  ExplainedAccount,
  ExplainedPosition,
  KnownPositionFacts,
  PositionFacts,
  TradeDeal,
  TradeOrder,
  TradePosition,
  Unexplained,
} from './evidence';

/** What else is known of the account when a look is judged. */
export interface UnderWay {
  /** Whether the broker acknowledged an order of this ticket to us. */
  isAcknowledged(ticket: number): boolean;
  /** Acknowledged orders that no list has shown yet and that should be shown by now, with the server seconds of their send. */
  readonly overdue: readonly { readonly ticket: number; readonly symbol: string; readonly time: number }[];
}

/** Nothing is under way. */
export const nothingUnderWay: UnderWay = { isAcknowledged: () => false, overdue: [] };

/** The clocks of rows and of a window may differ by this many seconds at its ends. */
const edgeS = 10;

/**
 * What a look shows that nothing explains; empty if the look may be believed. The rule: a position leaves or shrinks only by a
 * deal, an order ends only in the history, and money changes only by deals.
 * @param known the account as it was last explained; null before the first such look
 */
export function explain(known: ExplainedAccount | null, look: AccountLook, underWay: UnderWay): Unexplained[] {
  if (known === null) {
    return [
      ...(look.unloaded ?? []),
      ...provenByDeals(look),
      ...overdueOrders(null, look, underWay),
      ...fillsWithoutDeals(null, look),
      ...moneyWithoutDeals(look),
      ...withoutPositions(look),
      ...wrongProfit(look),
      ...wrongSums(look),
    ];
  }
  return [
    ...(look.unloaded ?? []),
    ...lostPositions(known, look),
    ...grownPositions(known, look, underWay),
    ...dealsAhead(known, look),
    ...positionsBehind(known, look),
    ...lostOrders(known, look),
    ...overdueOrders(known, look, underWay),
    ...fillsWithoutDeals(known, look),
    ...lackingHistory(known, look),
    ...unexplainedMoney(known, look),
    ...withoutPositions(look),
    ...wrongProfit(look),
    ...wrongSums(look),
  ];
}

/**
 * Whether deals account for the reduction of a position: they sum up to what is left of it, or the deals since it was last
 * explained sum up to the difference.
 * @param now the position as it is listed; undefined if it is not
 * @param deals all deals of the position
 */
export function isReductionExplained(
  { record, toldThrough }: KnownPositionFacts,
  now: ShownPosition | undefined,
  deals: readonly TradeDeal[],
): boolean {
  if (deals.length === 0) return false;
  if (netVolume(deals).equals(signedLots(now))) return true;
  const since = deals.filter(({ ticket }) => ticket > toldThrough);
  return since.length > 0 && netVolume(since).equals(signedLots(now).minus(signedLots(record)));
}

/** A position as a list shows it. */
type ShownPosition = Pick<PositionFacts, 'type' | 'volume'>;

/** Whether a position is smaller than it was, or on the other side. */
export function isReduced(before: PositionFacts, now: ShownPosition): boolean {
  return now.type !== before.type || now.volume < before.volume;
}

const endStates: readonly number[] = [
  OrderState.CANCELED,
  OrderState.PARTIAL,
  OrderState.FILLED,
  OrderState.REJECTED,
  OrderState.EXPIRED,
];

/** Whether a row of the history is the end of its order. */
export function isEnd<Order extends Pick<TradeOrder, 'state'>>(order: Order | null | undefined): order is Order {
  return order !== null && order !== undefined && endStates.includes(order.state);
}

function lostPositions(known: ExplainedAccount, look: AccountLook): Unexplained[] {
  const listed = byIdentifier(look.positions);
  const found: Unexplained[] = [];
  for (const [identifier, before] of known.positions.entriesOf(look.scope && look.scope.positions)) {
    const lost = lostPosition(before, listed.get(identifier), look.dealsOf.get(identifier) ?? []);
    if (lost) found.push(lost);
  }
  return found;
}

/**
 * What of a known position a list lacks without a deal: the position, volume of it, or its side. Null if the list may be
 * believed of it.
 * @param now the position as it is listed; undefined if it is not
 * @param deals all deals of the position; of a position that is known by its booked deals alone, none
 */
export function lostPosition(
  before: KnownPositionFacts,
  now: ShownPosition | undefined,
  deals: readonly TradeDeal[],
): Unexplained | null {
  const { record } = before;
  if (now && !isReduced(record, now)) return null;
  if (isReductionExplained(before, now, deals)) return null;
  const { ticket, symbol, volume } = record;
  if (!now) {
    const message = `position ${ticket} is not shown; no deal has closed it`;
    return { kind: 'position_missing', spoils: 'positions', ticket, symbol, message };
  }
  const message =
    now.type === record.type
      ? `position ${ticket} was ${lotsText(volume)} and is shown with ${lotsText(now.volume)}; no deal explains it`
      : `position ${ticket} was ${lotsOf(record)} and is shown as ${lotsOf(now)}; no deal explains it`;
  return { kind: 'position_reduced', spoils: 'positions', ticket, symbol, message };
}

function lotsOf({ type, volume }: ShownPosition): string {
  return `${type === PositionType.BUY ? 'buy' : 'sell'} ${lotsText(volume)}`;
}

function grownPositions(known: ExplainedAccount, look: AccountLook, underWay: UnderWay): Unexplained[] {
  return look.positions.flatMap((position): Unexplained[] => {
    const { identifier, ticket, symbol } = position;
    const before = known.positions.get(identifier);
    if (!before && known.closedLately.has(identifier)) return [];
    if (isGrowthProven(before, position, look, underWay)) return [];
    const message = `position ${ticket} ${unprovenText(before, position)}`;
    return [{ kind: 'position_without_deals', spoils: 'entries', ticket, symbol, message }];
  });
}

function unprovenText(before: ExplainedPosition | undefined, { volume }: TradePosition): string {
  if (!before) return 'is shown; no deal has opened it';
  if (before.unproven === true && volume <= before.record.volume)
    return `is shown with ${lotsText(volume)}; no deal explains them`;
  return `grew to ${lotsText(volume)}; no deal explains it`;
}

/**
 * Whether deals, or an acknowledged order, account for a position that is new or larger; true if it is neither.
 * @param before the position as it was last explained; undefined if it is new
 */
export function isGrowthProven(
  before: ExplainedPosition | undefined,
  now: TradePosition,
  look: Pick<AccountLook, 'deals' | 'dealsOf'>,
  underWay: Pick<UnderWay, 'isAcknowledged'>,
): boolean {
  const isLarger = before !== undefined && now.type === before.record.type && now.volume > before.record.volume;
  if (before && before.unproven !== true && !isLarger) return true;
  // What the broker acknowledged opened the position. Its growth has another order.
  const isAcknowledged = underWay.isAcknowledged(now.identifier) || underWay.isAcknowledged(now.ticket);
  if (isAcknowledged && !isLarger) return true;
  const deals = look.dealsOf.get(now.identifier) ?? look.deals.filter((deal) => deal.position_id === now.identifier);
  if (deals.length === 0) return false;
  // Some of the deals may be older than the history of the look.
  const net = netVolume(deals);
  const grown = new Decimal(now.volume).minus(before?.record.volume ?? 0);
  return net.equals(signedLots(now)) || (grown.gt(0) && net.abs().gte(grown));
}

/** Deals of positions that no list shows and that are not over: the lists are behind the history. */
function dealsAhead(known: ExplainedAccount, { deals, dealsOf, positions }: AccountLook): Unexplained[] {
  const listed = byIdentifier(positions);
  const ahead = new Map<number, Unexplained>();
  for (const deal of deals) {
    const { position_id: identifier, ticket, symbol } = deal;
    if (!isOfUnseenPosition(deal, known, listed) || known.deals.has(ticket, deal.time)) continue;
    const life = dealsOf.get(identifier) ?? [];
    if (life.length > 0 && netVolume(life).isZero()) continue;
    const message = `deal ${ticket} opened position ${identifier}, which is not shown`;
    ahead.set(identifier, { kind: 'deal_without_position', spoils: 'positions', ticket: identifier, symbol, message });
  }
  return [...ahead.values()];
}

/** Whether a deal belongs to a position that neither the known account nor the list has, and that it did not end. */
export function isOfUnseenPosition(
  { position_id, entry }: TradeDeal,
  known: Pick<ExplainedAccount, 'positions' | 'closedLately'>,
  listed: { has(identifier: number): boolean },
): boolean {
  if (position_id === 0 || entry === DealEntry.OUT || entry === DealEntry.OUT_BY) return false;
  return !known.positions.has(position_id) && !listed.has(position_id) && !known.closedLately.has(position_id);
}

/** Positions that are shown as they were before deals that the history has: the list is behind it. */
function positionsBehind(known: ExplainedAccount, look: AccountLook): Unexplained[] {
  return look.positions.flatMap((position): Unexplained[] => {
    return isBehindDeals(known, position, look) ? [behind(position, lifeOf(position.identifier, look))] : [];
  });
}

function behind(position: TradePosition, life: readonly TradeDeal[]): Unexplained {
  const { ticket, symbol } = position;
  const message = `position ${ticket} is shown as ${lotsOf(position)}; its deals leave ${netText(life)}`;
  return { kind: 'position_behind', spoils: 'positions', ticket, symbol, message };
}

/**
 * Whether deals that were not seen before moved a position, and the list shows it as it was before them. Its side or its volume is
 * then another one than the list shows.
 */
export function isBehindDeals(
  known: Pick<ExplainedAccount, 'positions' | 'deals'>,
  now: TradePosition,
  look: Pick<AccountLook, 'deals' | 'dealsOf'>,
): boolean {
  const news = look.deals.filter(
    ({ position_id, ticket, time }) => position_id === now.identifier && !known.deals.has(ticket, time),
  );
  const shown = signedLots(now);
  const life = lifeOf(now.identifier, look);
  if (news.length === 0 || netVolume(life).equals(shown)) return false;
  const before = known.positions.get(now.identifier);
  // Without its opening, the rest of a position's deals leaves nothing to compare.
  if (!before) return life.some(({ entry }) => entry === DealEntry.IN);
  // The list had shown its growth before the deals came.
  if (before.unproven === true && netVolume(news).gt(0) === shown.gt(0)) return false;
  return !shown.minus(signedLots(before.record)).equals(netVolume(news));
}

/** All deals of a position that a look has. */
function lifeOf(identifier: number, { deals, dealsOf }: Pick<AccountLook, 'deals' | 'dealsOf'>): readonly TradeDeal[] {
  return dealsOf.get(identifier) ?? deals.filter(({ position_id }) => position_id === identifier);
}

function netText(deals: readonly TradeDeal[]): string {
  const net = netVolume(deals);
  if (net.isZero()) return 'nothing of it';
  return lotsOf({ type: net.gt(0) ? PositionType.BUY : PositionType.SELL, volume: net.abs().toNumber() });
}

/** Orders that filled, of which the history has not all deals: it is behind, and the positions may be. */
function fillsWithoutDeals(known: ExplainedAccount | null, look: AccountLook): Unexplained[] {
  const done = [...look.endOf.values()].filter((order) => order !== null);
  const orders = new Map([...look.orders, ...done, ...look.doneOrders].map((order) => [order.ticket, order]));
  return [...orders.values()]
    .filter((order) => !isFillShown(known, order, look))
    .map(({ ticket, symbol }): Unexplained => {
      const message = `order ${ticket} was filled; the history has no deal of that`;
      return { kind: 'fill_without_deals', spoils: 'positions', ticket, symbol, message };
    });
}

/**
 * Whether a look shows what an order, active or done, has filled since it was last explained: its deals, or the position that it
 * opened or made larger.
 * @param known null at a first look, which judges what is newer than all deals: a broker may keep orders for longer than deals
 */
export function isFillShown(
  known: Pick<ExplainedAccount, 'positions' | 'orders' | 'deals' | 'doneOrders'> | null,
  order: TradeOrder,
  look: Pick<AccountLook, 'positions' | 'deals' | 'dealsOf' | 'historyFrom'>,
): boolean {
  const before = known?.orders.get(order.ticket);
  const filled = filledOf(order);
  const since = before ? filled.minus(filledOf(before)) : filled;
  // One that was active when it was last explained has ended since, whatever the clock of the server says.
  if (since.lte(0) || (!before && isSettled(known, order, look))) return true;
  const all = new Map([look.deals, ...look.dealsOf.values()].flat().map((deal) => [deal.ticket, deal]));
  const deals = [...all.values()].filter((deal) => deal.order === order.ticket);
  const news = deals.filter(({ ticket, time }) => known?.deals.has(ticket, time) !== true);
  return lotsIn(deals).gte(filled) || lotsIn(news).gte(since) || isInPositions(known, order, look.positions);
}

/** Lots that an order has filled. The rest of one that was cancelled is not always stated: a rest of 0 says nothing then. */
function filledOf({ state, volume_initial, volume_current }: TradeOrder): Decimal {
  if (state === OrderState.FILLED) return new Decimal(volume_initial);
  if (volume_current === 0 && isEnd({ state })) return new Decimal(0);
  return new Decimal(volume_initial).minus(volume_current);
}

/** Whether an order was done before, or earlier than the deals of the look. */
function isSettled(
  known: Pick<ExplainedAccount, 'doneOrders'> | null,
  { ticket, state, time_done }: TradeOrder,
  { deals, historyFrom }: Pick<AccountLook, 'deals' | 'historyFrom'>,
): boolean {
  if (!isEnd({ state })) return false;
  if (known) return known.doneOrders.has(ticket, time_done) || time_done < (historyFrom?.deals ?? 0);
  return deals.some(({ time }) => time > time_done);
}

/** Whether the list of positions shows a fill before its deals come: the position that it opened, or one that is shown larger. */
function isInPositions(
  known: Pick<ExplainedAccount, 'positions'> | null,
  order: TradeOrder,
  positions: readonly TradePosition[],
): boolean {
  const { ticket, position_id } = order;
  return positions.some((position) => {
    const { identifier, volume, type } = position;
    if (identifier === ticket) return filledOf(order).lte(volume);
    if (identifier !== position_id || isBuyOrder(order.type) !== (type === PositionType.BUY)) return false;
    const before = known?.positions.get(identifier);
    return !before || before.unproven === true || before.record.volume < volume;
  });
}

function lotsIn(deals: readonly TradeDeal[]): Decimal {
  return Decimal.sum(0, ...deals.map(({ volume }) => volume));
}

function lostOrders(known: ExplainedAccount, look: AccountLook): Unexplained[] {
  const listed = new Set(look.orders.map(({ ticket }) => ticket));
  const dealt = new Set([look.deals, ...look.dealsOf.values()].flat().map(({ order }) => order));
  const found: Unexplained[] = [];
  for (const [ticket, order] of known.orders.entriesOf(look.scope && look.scope.orders)) {
    if (listed.has(ticket) || dealt.has(ticket) || isEnd(look.endOf.get(ticket))) continue;
    found.push(lostOrder(order));
  }
  return found;
}

/** A known order that a list lacks and the history does not end. */
export function lostOrder({ ticket, symbol }: Pick<TradeOrder, 'ticket' | 'symbol'>): Unexplained {
  const message = `order ${ticket} is not shown; the history has no end of it`;
  return { kind: 'order_missing', spoils: 'orders', ticket, symbol, message };
}

function overdueOrders(known: ExplainedAccount | null, look: AccountLook, { overdue }: UnderWay): Unexplained[] {
  if (look.scope !== null) return [];
  const shown = ticketsIn(look);
  return overdue.filter((order) => !shown.has(order.ticket) && !isKnownOrder(known, order)).map(unshownOrder);
}

/** Whether an explained look has shown an order: as pending, or as done. */
export function isKnownOrder(
  known: Pick<ExplainedAccount, 'orders' | 'doneOrders'> | null,
  { ticket, time }: Pick<UnderWay['overdue'][number], 'ticket' | 'time'>,
): boolean {
  return known !== null && (known.orders.has(ticket) || known.doneOrders.has(ticket, time));
}

/** An order that the broker acknowledged, and that is in no list. */
export function unshownOrder({ ticket, symbol }: Pick<TradeOrder, 'ticket' | 'symbol'>): Unexplained {
  const message = `the broker acknowledged order ${ticket}, and no list shows it`;
  return { kind: 'acknowledged_order_missing', spoils: 'positions', ticket, symbol, message };
}

/** Tickets and identifiers of everything that a look shows. */
export function ticketsIn({ positions, orders, deals, doneOrders }: AccountLook): Set<number> {
  return new Set([
    ...positions.flatMap(({ ticket, identifier }) => [ticket, identifier]),
    ...[...orders, ...doneOrders].map(({ ticket }) => ticket),
    ...deals.map(({ order }) => order),
  ]);
}

function lackingHistory(known: ExplainedAccount, { historyFrom, deals, doneOrders }: AccountLook): Unexplained[] {
  if (historyFrom === null) return [];
  return [
    ...historyLack('deal', known.deals, deals, historyFrom.deals, Number.POSITIVE_INFINITY),
    ...historyLack('order', known.doneOrders, doneOrders, historyFrom.doneOrders, Number.POSITIVE_INFINITY),
  ];
}

/**
 * Seen rows that a history lacks: it is not loaded.
 * @param from start of the history, in server seconds
 * @param to its end
 */
export function historyLack(
  what: 'deal' | 'order',
  seen: SeenIn,
  rows: readonly { readonly ticket: number }[],
  from: number,
  to: number,
): Unexplained[] {
  const lacking = seen.missingIn(new Set(rows.map(({ ticket }) => ticket)), from + edgeS, to - edgeS);
  const [first] = lacking;
  if (first === undefined) return [];
  const message = `the history lacks ${lacking.length} ${what}${lacking.length === 1 ? '' : 's'} seen before, such as ${first}`;
  return [{ kind: 'history_incomplete', spoils: 'entries', ticket: first, symbol: null, message }];
}

/** Fewer deals in a span of server seconds than were seen: the history has a gap. */
export function dealsGap(
  known: Pick<ExplainedAccount, 'leastDealsIn'>,
  deals: readonly TradeDeal[],
  span: { readonly from: number; readonly to: number },
): Unexplained[] {
  const least = known.leastDealsIn(span.from, span.to);
  if (deals.length >= least) return [];
  const message = `the history has ${countText(deals.length, 'deal')} of the day; ${least} were seen`;
  return [{ kind: 'history_incomplete', spoils: 'entries', ticket: null, symbol: null, message }];
}

type SeenIn = Pick<ExplainedAccount['deals'], 'missingIn'>;

type KnownMoney = Pick<ExplainedAccount, 'balance' | 'deals' | 'amountOf'>;
type ShownDeals = Pick<AccountLook, 'account' | 'deals'>;

/** A balance that no deal explains. Money is compared to the last digit of its currency. */
export function unexplainedMoney(known: KnownMoney, look: ShownDeals): Unexplained[] {
  const { account } = look;
  const money = movedMoney(known, look);
  if (money === null || account === null || explainingCorrections(money) !== null) return [];
  const sum = Decimal.sum(0, ...money.news, ...money.corrections.map(({ amount }) => amount));
  const message = `the balance changed by ${moneyOf(account, money.change)}; the deals since then sum up to ${moneyOf(account, sum)}`;
  return [{ kind: 'balance_without_deals', spoils: 'entries', ticket: null, symbol: null, message }];
}

/**
 * Deals that were seen with other money, such as without their commission, and whose correction the balance shows. Empty while the
 * balance does not move by it.
 */
export function correctedDeals(known: KnownMoney, look: ShownDeals): readonly TradeDeal[] {
  const money = movedMoney(known, look);
  if (money === null) return [];
  return money.corrections.slice(0, explainingCorrections(money) ?? 0).map(({ deal }) => deal);
}

/** By what a balance has moved, and what deals may have moved it, in the deposit currency. */
interface MovedMoney {
  readonly change: Decimal;
  /** Of the currency. */
  readonly digits: number | undefined;
  /** Of deals that were not seen before, in the order of their tickets. */
  readonly news: readonly Decimal[];
  /** What seen deals show more or less than before, in the order of their tickets. */
  readonly corrections: readonly { readonly deal: TradeDeal; readonly amount: Decimal }[];
}

/** @returns null while the balance is not known */
function movedMoney(known: KnownMoney, { account, deals }: ShownDeals): MovedMoney | null {
  if (known.balance === null || account === null) return null;
  const { currency_digits: digits } = account;
  const change = roundedMoney(new Decimal(account.balance).minus(known.balance), digits);
  if (change.isZero()) return { change, digits, news: [], corrections: [] };
  const inOrder = [...deals].sort((a, b) => a.ticket - b.ticket);
  const news = inOrder.filter(({ ticket, time }) => !known.deals.has(ticket, time)).map(balanceChange);
  const corrections = inOrder.flatMap((deal) => {
    const before = known.deals.has(deal.ticket, deal.time) ? known.amountOf(deal.ticket) : null;
    if (before === null) return [];
    const amount = balanceChange(deal).minus(before);
    return isSameMoney(amount, 0, digits) ? [] : [{ deal, amount }];
  });
  return { change, digits, news, corrections };
}

/**
 * How many corrections are in a balance. It was read before the deals, so that it is the known one plus the first of the new deals and
 * of the corrections, up to some point. Null if that explains it by no number of them.
 */
function explainingCorrections({ change, digits, news, corrections }: MovedMoney): number | null {
  let corrected = new Decimal(0);
  for (let count = 0; count <= corrections.length; count++) {
    if (count > 0) corrected = corrected.plus(corrections[count - 1]?.amount ?? 0);
    let sum = corrected;
    if (isSameMoney(change, sum, digits)) return count;
    for (const amount of news) {
      sum = sum.plus(amount);
      if (isSameMoney(change, sum, digits)) return count;
    }
  }
  return null;
}

function moneyOf({ currency_digits }: ShownMoney, amount: Decimal.Value): string {
  return moneyText(new Decimal(amount).toNumber(), currency_digits);
}

/** Money comes and goes by a deal: a whole history that shows none is not loaded, nor is a balance of 0 that no deal has emptied. */
function moneyWithoutDeals({ account, deals }: AccountLook): Unexplained[] {
  if (account === null) return [];
  if (account.balance === 0) return emptyBalance(account, deals);
  if (deals.length > 0) return [];
  const message = `the account has a balance of ${moneyOf(account, account.balance)}, and the history has no deal`;
  return [{ kind: 'history_incomplete', spoils: 'entries', ticket: null, symbol: null, message }];
}

function emptyBalance(account: ShownMoney, deals: readonly TradeDeal[]): Unexplained[] {
  if (sumUpTo(deals, 0, account.currency_digits)) return [];
  const sum = moneyOf(account, Decimal.sum(0, ...deals.map(balanceChange)));
  const message = `the account has a balance of ${moneyOf(account, 0)}; its deals sum up to ${sum}`;
  return [{ kind: 'balance_without_deals', spoils: 'entries', ticket: null, symbol: null, message }];
}

/** A list of positions that is empty goes with no margin and no floating profit. */
export function withoutPositions({
  account,
  positions,
  orders,
  scope,
}: Pick<AccountLook, 'account' | 'positions' | 'orders' | 'scope'>): Unexplained[] {
  if (scope !== null || account === null || positions.length > 0) return [];
  const { margin, profit } = account;
  const facts = { spoils: 'positions', ticket: null, symbol: null } as const;
  if (profit !== 0) {
    const message = `no position is shown, and the account has a floating profit of ${moneyOf(account, profit)}`;
    return [{ ...facts, kind: 'profit_without_positions', message }];
  }
  // Some brokers reserve margin for pending orders.
  if (margin <= 0 || orders.length > 0) return [];
  const message = `no position is shown, and the account has a margin of ${moneyOf(account, margin)}`;
  return [{ ...facts, kind: 'margin_without_positions', message }];
}

function wrongProfit({ isProfitOff, account, positions }: AccountLook): Unexplained[] {
  return isProfitOff && account !== null && positions.length > 0 ? [profitDiffers(account, positions)] : [];
}

function wrongSums({ account, positions, marginNeeded = 0 }: AccountLook): Unexplained[] {
  return account === null ? [] : [...contradictingSums(account, positions), ...lackingMargin(account, marginNeeded)];
}

/**
 * An account that shows no floating profit while the positions have one, or one that is farther from theirs than they have moved.
 * @param before the positions as they were last known
 */
export function wrongProfitOf(
  account: ShownMoney,
  positions: readonly TradePosition[],
  before: readonly TradePosition[],
): Unexplained[] {
  const moved = { account, positions: account.profit === 0 ? positions : before };
  return isProfitOff({ account, positions }, moved) ? [profitDiffers(account, positions)] : [];
}

type ShownMoney = NonNullable<AccountLook['account']>;

function profitDiffers(account: ShownMoney, positions: readonly TradePosition[]): Unexplained {
  const shown = moneyOf(account, Decimal.sum(0, ...positions.map(({ profit }) => profit)));
  const message = `the account has a floating profit of ${moneyOf(account, account.profit)}; that of the shown positions is ${shown}`;
  return { kind: 'profit_differs', spoils: 'positions', ticket: null, symbol: null, message };
}

/** A first look: each position has its opening deals, and each position that the deals leave open is shown. */
function provenByDeals({ positions, deals, dealsOf }: AccountLook): Unexplained[] {
  const all = new Map<number, TradeDeal[]>();
  for (const deal of deals) {
    if (deal.position_id === 0) continue;
    const life = all.get(deal.position_id) ?? [];
    life.push(deal);
    all.set(deal.position_id, life);
  }
  const listed = byIdentifier(positions);
  const hidden = [...all].flatMap(([identifier, life]): Unexplained[] => {
    // Without its opening, the rest of a position's deals proves nothing.
    if (listed.has(identifier) || !life.some(({ entry }) => entry === DealEntry.IN)) return [];
    const net = netVolume(dealsOf.get(identifier) ?? life);
    if (net.isZero()) return [];
    const symbol = life[0]?.symbol ?? null;
    const message = `position ${identifier} is not shown; its deals leave ${net.abs().toFixed()} lots open`;
    return [{ kind: 'position_missing', spoils: 'positions', ticket: identifier, symbol, message }];
  });
  const unproven = positions.flatMap((position): Unexplained[] => {
    const { identifier, ticket, symbol } = position;
    const life = dealsOf.get(identifier) ?? all.get(identifier) ?? [];
    if (life.length > 0) return isOlderThanDeals(position, life) ? [behind(position, life)] : [];
    const message = `position ${ticket} is shown; no deal has opened it`;
    return [{ kind: 'position_without_deals', spoils: 'entries', ticket, symbol, message }];
  });
  return [...hidden, ...unproven];
}

/** Whether a position is not what its deals leave open, and is older than the last of them. */
function isOlderThanDeals(position: TradePosition, life: readonly TradeDeal[]): boolean {
  if (!life.some(({ entry }) => entry === DealEntry.IN) || netVolume(life).equals(signedLots(position))) return false;
  return life.some(({ time_msc }) => time_msc > position.time_update_msc);
}

function byIdentifier(positions: readonly TradePosition[]): Map<number, TradePosition> {
  return new Map(positions.map((position) => [position.identifier, position]));
}
