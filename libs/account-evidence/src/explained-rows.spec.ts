import { Decimal } from 'decimal.js';
import { DealEntry, DealType, OrderState, OrderType, PositionType, TradeReason } from '@libs/trade-constants';
import type { AccountLook, ExplainedAccount, TradeDeal, TradeOrder, TradePosition, Unexplained } from './evidence';
import {
  correctedDeals,
  dealsGap,
  explain,
  historyLack,
  isBehindDeals,
  isEnd,
  isFillShown,
  isGrowthProven,
  isOfUnseenPosition,
  isReduced,
  isReductionExplained,
  lostPosition,
  nothingUnderWay,
  ticketsIn,
  wrongProfitOf,
} from './explain';
import { loadedRows, notLoaded, type ListRows } from './loaded-rows';
import { after, Books, Known, opened, orderOf } from './testing/books';

const { position, deal } = opened(5);
const { identifier } = position;
const noDeals = new Map<number, readonly TradeDeal[]>();
/** A deal of the position after it was last explained, at ticket 200. */
const later = (changes: Partial<TradeDeal>): TradeDeal => ({ ...deal, ticket: 300, order: 300, time: 300, ...changes });
const sold = (volume: number, ticket = 300): TradeDeal =>
  later({ ticket, type: DealType.SELL, entry: DealEntry.OUT, volume });
const before = { record: position, toldThrough: 200 };
const kinds = (found: readonly Unexplained[]): string[] => found.map(({ kind }) => kind);
const messages = (found: readonly Unexplained[]): string[] => found.map(({ message }) => message);

/** A known account with that position, a pending order and a done one, and what a terminal shows of it. */
function account(): { known: ExplainedAccount; look: AccountLook } {
  const books = after(new Books(), [
    { kind: 'open', lots: 5, isLong: true },
    { kind: 'place' },
    { kind: 'cancel', which: 0 },
    { kind: 'place' },
  ]);
  const known = new Known(books);
  return { known, look: books.look(known) };
}

describe('a position that is smaller than before', () => {
  it.each<[string, Partial<TradePosition>, boolean]>([
    ['is reduced with fewer lots', { volume: 0.4 }, true],
    ['is reduced on the other side', { type: PositionType.SELL, volume: 0.9 }, true],
    ['is not reduced with the same lots', {}, false],
    ['is not reduced with more', { volume: 0.6 }, false],
  ])('%s', (_case, changes, isSmaller) => {
    expect(isReduced(position, { ...position, ...changes })).toBe(isSmaller);
  });

  it.each<[string, number | null, readonly TradeDeal[], boolean]>([
    ['all its deals leave what is shown', 0.3, [deal, sold(0.2)], true],
    ['all its deals leave what is shown, and were told before', 0.3, [deal, sold(0.2, 150)], true],
    ['all its deals leave nothing, and it is gone', null, [deal, sold(0.5)], true],
    ['the deals since then are the difference, and older ones are not loaded', 0.3, [sold(0.2)], true],
    ['a deal since then is of less', 0.3, [sold(0.1)], false],
    ['the deal is of the last that was told', 0.3, [later({ ...sold(0.2), ticket: 200 })], false],
    ['the deals are older than what was told', 0.3, [sold(0.2, 150)], false],
    ['it has no deal', null, [], false],
    ['its only deals opened it', null, [deal], false],
  ])('is explained or not if %s', (_case, volume, deals, isExplained) => {
    const now = volume === null ? undefined : { ...position, volume };
    expect(isReductionExplained(before, now, deals)).toBe(isExplained);
    expect(lostPosition(before, now, deals) === null).toBe(isExplained);
  });

  it('is not explained by the absence of deals where nothing is known to be open', () => {
    const empty = { record: { ...position, volume: 0 }, toldThrough: 200 };
    expect(isReductionExplained(empty, undefined, [])).toBe(false);
    expect(isReductionExplained(empty, { ...position, volume: 0.1 }, [])).toBe(false);
    // An unloaded history has deals of a net volume that is not what is shown, and none since then.
    expect(isReductionExplained(before, { ...position, volume: 0.5 }, [sold(0.1, 150)])).toBe(false);
  });

  it('is named with what it was and is', () => {
    expect(lostPosition(before, undefined, [])).toMatchObject({
      ...{ kind: 'position_missing', ticket: position.ticket, symbol: 'EURUSD' },
      message: `position ${position.ticket} is not shown; no deal has closed it`,
    });
    expect(lostPosition(before, { ...position, volume: 0.2 }, [])).toMatchObject({
      kind: 'position_reduced',
      message: `position ${position.ticket} was 0.5 lots and is shown with 0.2 lots; no deal explains it`,
    });
    const short = { ...position, type: PositionType.SELL, volume: 0.2 };
    expect(lostPosition(before, short, [])?.message).toBe(
      `position ${position.ticket} was buy 0.5 lots and is shown as sell 0.2 lots; no deal explains it`,
    );
    expect(lostPosition(before, position, [])).toBeNull();
    const { known, look } = account();
    const unread = { ...look, account: null, positions: [], dealsOf: noDeals };
    expect(kinds(explain(known, unread, nothingUnderWay))).toEqual(['position_missing']);
  });
});

describe('a position that is new or larger', () => {
  const proven = (
    known: Parameters<typeof isGrowthProven>[0],
    now: TradePosition,
    deals: readonly TradeDeal[],
    acknowledged: readonly number[] = [],
    isLoaded = true,
  ): boolean =>
    isGrowthProven(
      known,
      now,
      { deals: isLoaded ? [] : deals, dealsOf: isLoaded ? new Map([[identifier, deals]]) : noDeals },
      { isAcknowledged: (ticket) => acknowledged.includes(ticket) },
    );
  const larger = { ...position, volume: 0.7 };

  it('needs no proof if it is neither', () => {
    expect(proven(before, position, [])).toBe(true);
    expect(proven(before, { ...position, volume: 0.3 }, [])).toBe(true);
    expect(proven(before, { ...larger, type: PositionType.SELL }, [])).toBe(true);
    expect(proven({ ...before, unproven: false }, position, [])).toBe(true);
  });

  it('is proven by its deals', () => {
    expect(proven(undefined, position, [deal])).toBe(true);
    expect(proven(undefined, position, [deal], [], false)).toBe(true);
    expect(proven(before, larger, [deal, later({ volume: 0.2 })])).toBe(true);
    // The opening is older than the history.
    expect(proven(before, larger, [later({ volume: 0.2 })])).toBe(true);
    expect(proven({ ...before, unproven: true }, position, [deal])).toBe(true);
    // A short position counts by the lots of its deals.
    const { position: short, deal: sale } = opened(5, false);
    expect(proven(undefined, short, [sale])).toBe(true);
  });

  it('is not proven without deals, or by fewer lots', () => {
    expect(proven(undefined, position, [])).toBe(false);
    expect(proven(undefined, { ...position, volume: 0 }, [])).toBe(false);
    expect(proven(undefined, position, [later({ volume: 0.4 })])).toBe(false);
    expect(proven(undefined, position, [later({ position_id: 77 })], [], false)).toBe(false);
    expect(proven(before, larger, [later({ volume: 0.1 })])).toBe(false);
    expect(proven({ ...before, unproven: true }, position, [])).toBe(false);
    // Nothing grew, so that deals of other lots prove nothing of what was shown before them.
    expect(proven({ ...before, unproven: true }, position, [sold(0.2)])).toBe(false);
  });

  it('is proven by an acknowledged order of its ticket or identifier, unless it grew since: another order did that', () => {
    const reopened = { ...position, ticket: 900 };
    expect(proven(before, larger, [], [identifier])).toBe(false);
    expect(proven(undefined, reopened, [], [900])).toBe(true);
    expect(proven(undefined, reopened, [], [identifier])).toBe(true);
    expect(proven(undefined, reopened, [], [901])).toBe(false);
  });

  it('did not grow while its size is the one that nothing has proven', () => {
    const open = account();
    const unproven = new Known(new Books());
    unproven.positions.set(identifier, { ...before, unproven: true });
    const rows = { deals: [], dealsOf: noDeals, orders: [], doneOrders: [] };
    const look = { ...open.look, ...rows, account: null, historyFrom: null };
    expect(messages(explain(unproven, look, nothingUnderWay))).toEqual([
      `position ${position.ticket} is shown with 0.5 lots; no deal explains them`,
    ]);
  });

  it('is not named while its close was explained lately, and named as new or grown otherwise', () => {
    const { look } = account();
    const known = new Known(new Books());
    const late = { ...look, account: null, deals: [], dealsOf: noDeals, orders: [], doneOrders: [], historyFrom: null };
    expect(messages(explain(known, late, nothingUnderWay))).toEqual([
      `position ${position.ticket} is shown; no deal has opened it`,
    ]);
    known.closedLately.add(identifier);
    expect(explain(known, late, nothingUnderWay)).toEqual([]);
    const open = account();
    const grown = { ...open.look, positions: [larger], dealsOf: noDeals, deals: [], historyFrom: null };
    expect(messages(explain(open.known, grown, nothingUnderWay))).toEqual([
      `position ${position.ticket} grew to 0.7 lots; no deal explains it`,
    ]);
  });
});

describe('a deal of a position that no list shows', () => {
  const nothing = { has: () => false };
  const unseen = (changes: Partial<TradeDeal>): boolean =>
    isOfUnseenPosition(later(changes), { positions: new Known(new Books()).positions, closedLately: nothing }, nothing);

  it('opened it unless it is a close, or of no position', () => {
    expect([DealEntry.IN, DealEntry.INOUT].map((entry) => unseen({ entry }))).toEqual([true, true]);
    expect([DealEntry.OUT, DealEntry.OUT_BY].map((entry) => unseen({ entry }))).toEqual([false, false]);
    expect(unseen({ position_id: 0 })).toBe(false);
  });

  it('opened none that is listed, known, or closed lately', () => {
    const { known } = account();
    const has = { has: () => true };
    const empty = { positions: new Known(new Books()).positions, closedLately: nothing };
    expect(isOfUnseenPosition(deal, empty, has)).toBe(false);
    expect(isOfUnseenPosition(deal, { ...empty, positions: known.positions }, nothing)).toBe(false);
    expect(isOfUnseenPosition(deal, { ...empty, closedLately: has }, nothing)).toBe(false);
  });

  it('is not ahead of the lists if further deals have closed it', () => {
    const known = new Known(new Books());
    const { look } = account();
    const unlisted = { ...look, account: null, positions: [], orders: [], historyFrom: null };
    const ahead = (life: readonly TradeDeal[] | undefined): string[] =>
      kinds(
        explain(
          known,
          { ...unlisted, deals: [deal], dealsOf: new Map(life ? [[identifier, life]] : []) },
          nothingUnderWay,
        ),
      );
    expect(ahead([deal, sold(0.5)])).toEqual([]);
    expect(ahead([deal, sold(0.4)])).toEqual(['deal_without_position']);
    expect(ahead([])).toEqual(['deal_without_position']);
    expect(ahead(undefined)).toEqual(['deal_without_position']);
  });
});

describe('a position that is shown as it was before its deals', () => {
  const { known, look } = account();
  const bought = later({ volume: 0.2 });
  const reversed = later({ type: DealType.SELL, entry: DealEntry.INOUT, volume: 0.8 });
  const open = look.positions.map((one) => ({ ...one, time_update_msc: 150 }));
  const found = (
    from: ExplainedAccount | null,
    news: readonly TradeDeal[],
    now: Partial<TradePosition> = {},
    all: readonly TradeDeal[] = [deal, ...news],
  ): string[] =>
    messages(
      explain(
        from,
        {
          ...{ ...look, account: null, deals: [...look.deals, ...news], dealsOf: new Map([[identifier, all]]) },
          positions: open.map((one) => ({ ...one, ...now })),
        },
        nothingUnderWay,
      ),
    );
  const shown = `position ${position.ticket} is shown as buy 0.5 lots; its deals leave `;

  it('is named, with what its deals leave open of it', () => {
    expect(found(known, [bought])).toEqual([`${shown}buy 0.7 lots`]);
    expect(found(known, [reversed])).toEqual([`${shown}sell 0.3 lots`]);
    expect(found(known, [sold(0.2)])).toEqual([`${shown}buy 0.3 lots`]);
    expect(found(known, [sold(0.5)])).toEqual([`${shown}nothing of it`]);
    // Its opening is older than the history.
    expect(found(known, [bought], {}, [bought])).toEqual([`${shown}buy 0.2 lots`]);
  });

  it('is named at a first look if it is older than its last deal', () => {
    const at = (time_msc: number): TradeDeal => ({ ...bought, time_msc });
    expect(found(null, [at(151)])).toEqual([`${shown}buy 0.7 lots`]);
    expect(found(null, [at(150)])).toEqual([]);
    expect(found(null, [], {}, [{ ...sold(0.2), time_msc: 151 }])).toEqual([]);
    expect(found(null, [at(151)], { volume: 0.7 })).toEqual([]);
  });

  it('is not named once it is as its deals leave it, nor for deals that were seen', () => {
    expect(found(known, [bought], { volume: 0.7 })).toEqual([]);
    expect(found(known, [reversed], { type: PositionType.SELL, volume: 0.3 })).toEqual([]);
    expect(found(known, [bought], { volume: 0.7 }, [bought])).toEqual([]);
    expect(found(known, [], {}, [deal, bought])).toEqual([]);
  });

  it('is not named where its growth was shown before the deal of it', () => {
    const grown = new Known(after(new Books(), []));
    const record = { ...position, volume: 0.7 };
    grown.positions.set(identifier, { record, toldThrough: 200, unproven: true });
    const unproven = { positions: grown.positions, deals: known.deals };
    const rest = { deals: [...look.deals, bought], dealsOf: new Map([[identifier, [bought]]]) };
    expect(isBehindDeals(unproven, record, rest)).toBe(false);
    const closed = { deals: [...look.deals, sold(0.2)], dealsOf: new Map([[identifier, [sold(0.2)]]]) };
    expect(isBehindDeals(unproven, record, closed)).toBe(true);
  });

  it('is named while it is new, if it has another volume than its deals, which include the opening', () => {
    const fresh = { positions: new Known(new Books()).positions, deals: new Known(new Books()).deals };
    const life = (...deals: TradeDeal[]) => ({ deals, dealsOf: noDeals });
    expect(isBehindDeals(fresh, position, life(deal, bought))).toBe(true);
    expect(isBehindDeals(fresh, position, life(deal))).toBe(false);
    expect(isBehindDeals(fresh, position, life(sold(0.2)))).toBe(false);
  });
});

describe('a row that is not loaded', () => {
  const { known, look } = account();
  const order = orderOf(900, { type: OrderType.BUY_LIMIT, price_open: 1.1, time_setup: 5, time_done: 6 });
  const rows = {
    positions: { ...position, time: 5, price_open: 1.1 },
    orders: order,
    history_orders: order,
    deals: { ...deal, price: 1.1 },
  };
  const named = <List extends keyof ListRows>(list: List, changes: Partial<ListRows[List]>): string | null =>
    notLoaded(list, { ...rows[list], ...changes })?.message ?? null;

  it.each([
    ['positions', { ticket: 0 }, 'the terminal shows a position without a ticket'],
    ['positions', { identifier: 0 }, `position ${position.ticket} is shown without its identifier`],
    ['positions', { symbol: '' }, `position ${position.ticket} is shown without its symbol`],
    ['positions', { time: 0 }, `position ${position.ticket} is shown without its time`],
    ['positions', { volume: 0 }, `position ${position.ticket} is shown without its volume`],
    ['positions', { price_open: 0 }, `position ${position.ticket} is shown without its price_open`],
    ['orders', { ticket: 0 }, 'the terminal shows an order without a ticket'],
    ['orders', { time_setup: 0 }, 'order 900 is shown without its time_setup'],
    ['orders', { volume_initial: 0 }, 'order 900 is shown without its volume_initial'],
    ['orders', { price_open: 0 }, 'order 900 is shown without its price_open'],
    ['orders', { price_open: 0, type: OrderType.BUY }, null],
    ['history_orders', { time_done: 0 }, 'order 900 is shown without its time_done'],
    ['history_orders', { price_open: 0 }, null],
    ['deals', { ticket: 0 }, 'the terminal shows a deal without a ticket'],
    ['deals', { time: 0 }, `deal ${deal.ticket} is shown without its time`],
    ['deals', { volume: 0 }, `deal ${deal.ticket} is shown without its volume`],
    ['deals', { price: 0 }, `deal ${deal.ticket} is shown without its price`],
    ['deals', { price: 0, entry: DealEntry.OUT }, null],
    ['deals', { price: 0, volume: 0, reason: TradeReason.CORPORATE_ACTION }, null],
    ['positions', { price_open: 0, reason: TradeReason.CORPORATE_ACTION }, null],
    ['deals', { type: DealType.BALANCE, volume: 0, price: 0, symbol: '' }, null],
    ['deals', { type: DealType.BALANCE, time: 0 }, `deal ${deal.ticket} is shown without its time`],
  ] as const)('%s, %j: %s', (list, changes, message) => {
    expect(named(list, {})).toBeNull();
    expect(named(list, changes)).toBe(message);
  });

  it('is not explained, and its list is without it', () => {
    const found: Unexplained[] = [];
    const unloaded = { ...rows.positions, volume: 0 };
    expect(loadedRows('positions', [rows.positions, unloaded], found)).toEqual([rows.positions]);
    expect(kinds(found)).toEqual(['row_not_loaded']);
    for (const from of [known, null]) {
      expect(explain(from, { ...look, unloaded: found }, nothingUnderWay)).toEqual(found);
    }
  });
});

describe('an order that filled', () => {
  const { known, look } = account();
  const { CANCELED, FILLED, PARTIAL, PLACED, EXPIRED } = OrderState;
  const [pending] = look.orders;
  if (!pending) throw new Error('the books have no order');
  const { ticket } = pending;
  const filled = orderOf(ticket, { state: FILLED, time_done: 400, volume_current: 0 });
  const fill = later({ order: ticket, ticket: 301, position_id: ticket, volume: 0.1 });
  const named = (
    order: TradeOrder,
    changes: Partial<AccountLook> = {},
    from: ExplainedAccount | null = known,
  ): string[] =>
    messages(
      explain(
        from,
        {
          ...look,
          account: null,
          orders: [],
          doneOrders: [...look.doneOrders, order],
          endOf: new Map([[ticket, order]]),
          ...changes,
        },
        nothingUnderWay,
      ),
    );
  const unfilled = `order ${ticket} was filled; the history has no deal of that`;

  it('is named once as long as the history lacks its deals', () => {
    expect(named(filled)).toEqual([unfilled]);
    expect(named(filled, { doneOrders: look.doneOrders })).toEqual([unfilled]);
    expect(named(filled, { endOf: new Map([[ticket, null]]), orders: [filled] })).toEqual([unfilled]);
    const half = { ...fill, volume: 0.05 };
    const position = { ...look.positions[0], ticket, identifier: ticket, volume: 0.05 } as TradePosition;
    const positions = [...look.positions, position];
    expect(named(filled, { deals: [...look.deals, half], positions })).toEqual([unfilled]);
    expect(
      named(filled, { deals: [...look.deals, fill], positions: [...look.positions, { ...position, volume: 0.1 }] }),
    ).toEqual([]);
  });

  it.each([
    ['in part, and waits for the rest', { state: PARTIAL, volume_current: 0.04 }, true],
    ['in part, and was cancelled', { state: CANCELED, volume_current: 0.04, time_done: 400 }, true],
    ['not at all, and was cancelled', { state: CANCELED, volume_current: 0.1, time_done: 400 }, false],
    [
      'not at all, and expired without a statement of its rest',
      { state: EXPIRED, volume_current: 0, time_done: 400 },
      false,
    ],
    ['not at all, and waits', { state: PLACED, volume_current: 0.1 }, false],
    // It was active when it was last explained: the clock of the server was set back.
    ['earlier than the deals of the look', { state: FILLED, volume_current: 0, time_done: -1 }, true],
  ])('%s', (_case, changes, isNamed) => {
    const order = orderOf(ticket, changes);
    const isDone = 'time_done' in changes;
    const rows = isDone ? {} : { orders: [order], doneOrders: look.doneOrders, endOf: new Map() };
    expect(named(order, rows)).toEqual(isNamed ? [unfilled] : []);
  });

  it('is not named if it was not known and is older than the deals of the look', () => {
    const at = (time_done: number): boolean => isFillShown(known, { ...filled, ticket: 999, time_done }, look);
    expect([at(-1), at(400)]).toEqual([true, false]);
  });

  it('has only its new deals to show for what it filled since it was last explained', () => {
    const from = {
      ...known,
      positions: known.positions,
      orders: new Map([[ticket, { ...pending, volume_current: 0.04 }]]),
    };
    const shownBy = (deals: readonly TradeDeal[]): boolean =>
      isFillShown({ ...from, deals: known.deals } as never, filled, { ...look, deals, historyFrom: null });
    const earlier = { ...fill, ticket: deal.ticket, volume: 0.06 };
    const rest = { ...fill, ticket: 302, volume: 0.04 };
    expect([[earlier], [rest], [earlier, rest], []].map(shownBy)).toEqual([false, true, true, false]);
  });

  it('is shown by the position that it opened or made larger, before its deals come', () => {
    const of = (changes: Partial<TradePosition>): TradePosition => ({ ...position, ...changes });
    const adds = orderOf(900, {
      type: OrderType.BUY,
      state: FILLED,
      volume_current: 0,
      time_done: 400,
      position_id: identifier,
    });
    const shownIn = (order: TradeOrder, ...positions: TradePosition[]): boolean =>
      isFillShown(known, order, { ...look, positions });
    expect(shownIn(adds, of({ identifier: 900, volume: 0.1 }))).toBe(true);
    expect(shownIn(adds, of({ identifier: 900, volume: 0.05 }))).toBe(false);
    expect(shownIn(adds, position)).toBe(false);
    expect(shownIn(adds, of({ volume: 0.6 }))).toBe(true);
    expect(shownIn({ ...adds, type: OrderType.SELL }, of({ volume: 0.6 }))).toBe(false);
    expect(shownIn({ ...adds, position_id: 901 }, of({ volume: 0.6 }))).toBe(false);
    const unproven = new Known(new Books());
    expect(isFillShown(unproven, adds, { ...look, positions: [position] })).toBe(true);
    unproven.positions.set(identifier, { ...before, unproven: true });
    expect(isFillShown(unproven, adds, { ...look, positions: [position] })).toBe(true);
  });

  it('is judged at a first look if no deal is newer: a broker may keep orders for longer than deals', () => {
    const first = { positions: [], deals: look.deals.slice(0, 1), dealsOf: noDeals, endOf: new Map<number, null>() };
    expect(named(filled, { ...first, doneOrders: [filled] }, null)).toEqual([unfilled]);
    const newer = later({ position_id: 0, time: 401, ticket: 500, order: 0, type: DealType.BALANCE });
    expect(named(filled, { ...first, deals: [newer], doneOrders: [filled] }, null)).toEqual([]);
  });
});

describe('an order', () => {
  it('ends canceled, filled, rejected or expired, and not while it waits', () => {
    const [order] = after(new Books(), [{ kind: 'place' }]).orders;
    if (!order) throw new Error('the books have no order');
    const { CANCELED, PARTIAL, FILLED, REJECTED, EXPIRED, PLACED, STARTED } = OrderState;
    const ends = (state: OrderState): boolean => isEnd({ ...order, state });
    expect([CANCELED, PARTIAL, FILLED, REJECTED, EXPIRED].map(ends)).toEqual([true, true, true, true, true]);
    expect([PLACED, STARTED].map(ends)).toEqual([false, false]);
    expect([null, undefined].map(isEnd)).toEqual([false, false]);
  });

  it('that left the list is not missing if a deal is of it, or the history ends it', () => {
    const { known, look } = account();
    const [order] = look.orders;
    if (!order) throw new Error('the books have no order');
    const gone = { ...look, orders: [], account: null };
    const fill = later({ order: order.ticket, position_id: identifier, type: DealType.BALANCE });
    expect(messages(explain(known, gone, nothingUnderWay))).toEqual([
      `order ${order.ticket} is not shown; the history has no end of it`,
    ]);
    expect(explain(known, { ...gone, deals: [...look.deals, fill] }, nothingUnderWay)).toEqual([]);
    const ofPosition = new Map([[identifier, [deal, fill]]]);
    expect(explain(known, { ...gone, dealsOf: ofPosition }, nothingUnderWay)).toEqual([]);
    const ended = new Map([[order.ticket, { ...order, state: OrderState.EXPIRED }]]);
    expect(explain(known, { ...gone, endOf: ended }, nothingUnderWay)).toEqual([]);
  });

  it('that was acknowledged is overdue until a list, or what is known, has it, and only in a whole look', () => {
    const { known, look } = account();
    const [pending, done] = [look.orders[0]?.ticket ?? 0, look.doneOrders[0]?.ticket ?? 0];
    const overdue = (ticket: number, changes: Partial<AccountLook> = {}): string[] =>
      kinds(
        explain(
          known,
          { ...look, ...changes },
          { isAcknowledged: () => true, overdue: [{ ticket, symbol: 'EURUSD', time: 900 }] },
        ),
      );
    expect(overdue(900)).toEqual(['acknowledged_order_missing']);
    for (const ticket of [pending, done, identifier]) expect(overdue(ticket)).toEqual([]);
    expect(overdue(900, { scope: { positions: new Set(), orders: new Set() } })).toEqual([]);
    // Known from a look before, and in no list of this one.
    const ended = new Map(look.orders.map((order) => [order.ticket, { ...order, state: OrderState.CANCELED }]));
    expect(overdue(pending, { orders: [], endOf: ended })).toEqual([]);
    expect(overdue(done, { doneOrders: [], historyFrom: null })).toEqual([]);
  });

  it('is shown by its ticket as a position, an order or a done order, by the identifier of a position, and by a deal', () => {
    const { look } = account();
    const shown = ticketsIn({
      ...look,
      positions: [{ ...position, ticket: 900 }],
      deals: [later({ ticket: 901, order: 902 })],
    });
    const [pending, done] = [look.orders[0]?.ticket, look.doneOrders.at(-1)?.ticket];
    expect([...shown].sort()).toEqual([identifier, 900, 902, pending, done].sort());
  });
});

describe('a history', () => {
  it('lacks what was seen in its span, but for some seconds at its ends', () => {
    const asked: number[] = [];
    const seen = (missing: number[]) => ({
      missingIn: (_listed: ReadonlySet<number>, from: number, to: number): number[] => {
        asked.push(from, to);
        return missing;
      },
    });
    expect(historyLack('deal', seen([]), [deal], 1_000, 2_000)).toEqual([]);
    expect(asked).toEqual([1_010, 1_990]);
    expect(messages(historyLack('deal', seen([7]), [deal], 1_000, 2_000))).toEqual([
      'the history lacks 1 deal seen before, such as 7',
    ]);
    expect(messages(historyLack('order', seen([7, 8]), [], 1_000, 2_000))).toEqual([
      'the history lacks 2 orders seen before, such as 7',
    ]);
  });

  it('lacks none of the rows that it lists', () => {
    const seen = new Known(after(new Books(), [{ kind: 'open', lots: 5, isLong: true }])).deals;
    expect(historyLack('deal', seen, [{ ticket: 1 }, deal], 0, 2_000)).toEqual([]);
    expect(historyLack('deal', seen, [deal], 0, 2_000)).toMatchObject([{ ticket: 1 }]);
  });

  it('has a gap if a day has fewer deals than were seen', () => {
    const known = { leastDealsIn: (from: number, to: number) => (from === 5 && to === 9 ? 2 : 0) };
    const span = { from: 5, to: 9 };
    expect(messages(dealsGap(known, [deal], span))).toEqual(['the history has 1 deal of the day; 2 were seen']);
    expect(dealsGap(known, [deal, deal], span)).toEqual([]);
    expect(dealsGap(known, [deal, deal, deal], span)).toEqual([]);
  });
});

describe('the money of an account', () => {
  const { known, look } = account();
  const money = (changes: Partial<NonNullable<AccountLook['account']>>, more: Partial<AccountLook> = {}) => {
    const shown = { balance: known.balance ?? 0, margin: 10, profit: -1, ...changes };
    return explain(known, { ...look, account: shown, ...more }, nothingUnderWay);
  };

  it('changes by the new deals in the order of their tickets, up to any of them', () => {
    const paid = (ticket: number, profit: number): TradeDeal =>
      later({ ticket, profit, commission: 0, position_id: 0, type: DealType.BALANCE });
    const balance = (known.balance ?? 0) + 5;
    const deals = [...look.deals, paid(402, -20), paid(401, 5)];
    expect(money({ balance }, { deals })).toEqual([]);
    expect(messages(money({ balance: balance + 1 }, { deals }))).toEqual([
      'the balance changed by 6.00; the deals since then sum up to -15.00',
    ]);
    expect(messages(money({ balance: balance + 1, currency_digits: 0 }, { deals }))).toEqual([
      'the balance changed by 6; the deals since then sum up to -15',
    ]);
  });

  it('is compared to the last digit of its currency', () => {
    const paid = later({ ticket: 401, profit: 5, commission: 0, position_id: 0, type: DealType.BALANCE });
    const deals = [...look.deals, paid];
    const after = (moved: number, currency_digits: number) =>
      messages(money({ balance: new Decimal(known.balance ?? 0).plus(moved).toNumber(), currency_digits }, { deals }));
    expect([after(5.004, 2), after(5.0004, 3), after(5.4, 0)]).toEqual([[], [], []]);
    expect([after(5.004, 3), after(0.004, 3), after(6, 0)]).toEqual([
      ['the balance changed by 5.004; the deals since then sum up to 5.000'],
      ['the balance changed by 0.004; the deals since then sum up to 5.000'],
      ['the balance changed by 6; the deals since then sum up to 5'],
    ]);
  });

  it('changes by costs that seen deals show later, before and after what is new', () => {
    const charged = look.deals.map((one, at) => (at === look.deals.length - 1 ? { ...one, commission: -0.61 } : one));
    const balance = new Decimal(known.balance ?? 0).minus(0.6).toNumber();
    expect(money({ balance }, { deals: charged })).toEqual([]);
    expect(money({}, { deals: charged })).toEqual([]);
    const paid = later({ ticket: 401, profit: 5, commission: 0, position_id: 0, type: DealType.BALANCE });
    const both = [...charged, paid];
    for (const more of [5, 0]) expect(money({ balance: balance + more }, { deals: both })).toEqual([]);
    expect(kinds(money({ balance: balance - 1 }, { deals: both }))).toEqual(['balance_without_deals']);
    expect(correctedDeals(known, { account: { balance, margin: 0, profit: 0 }, deals: both })).toEqual([
      charged.at(-1),
    ]);
    expect(correctedDeals(known, { account: { balance: balance - 1, margin: 0, profit: 0 }, deals: both })).toEqual([]);
    expect(correctedDeals(known, { account: null, deals: both })).toEqual([]);
    // While the balance is as it was, a row says nothing.
    const same = { balance: known.balance ?? 0, margin: 0, profit: 0 };
    expect(correctedDeals(known, { account: same, deals: both })).toEqual([]);
    expect(correctedDeals({ ...known, amountOf: () => null }, { account: { ...same, balance }, deals: both })).toEqual(
      [],
    );
  });

  it('is not compared while it is not known', () => {
    const unknown = { ...known, balance: null, leastDealsIn: () => 0 };
    const shown = { ...look, account: { balance: 7, margin: 10, profit: -1 } };
    expect(explain(unknown, shown, nothingUnderWay)).toEqual([]);
  });

  it('of a first look is not compared without an account, nor its margin in a look at single rows', () => {
    const bare = { ...look, account: null, deals: [], positions: [], orders: [] };
    expect(explain(null, bare, nothingUnderWay)).toEqual([]);
    const scope = { positions: new Set<number>(), orders: new Set<number>() };
    const flat = {
      ...bare,
      doneOrders: [],
      endOf: new Map<number, null>(),
      scope,
      deals: look.deals.slice(0, 1),
      dealsOf: noDeals,
    };
    expect(explain(null, { ...flat, account: { balance: 9, margin: 5, profit: 2 } }, nothingUnderWay)).toEqual([]);
  });

  it('may be reserved as margin for pending orders, without a position', () => {
    const history = { deals: look.deals.slice(0, 1), dealsOf: noDeals, doneOrders: [], endOf: new Map<number, null>() };
    const flat = { ...look, ...history, positions: [] };
    const reserved = { ...flat, account: { balance: 9, margin: 5, profit: 0 } };
    expect(explain(null, reserved, nothingUnderWay)).toEqual([]);
    expect(kinds(explain(null, { ...reserved, orders: [] }, nothingUnderWay))).toEqual(['margin_without_positions']);
    const free = { ...flat, orders: [], account: { balance: 9, margin: 0, profit: 0 } };
    expect(explain(null, free, nothingUnderWay)).toEqual([]);
  });

  it('differs in the floating profit of the shown positions, if looks in a row say so', () => {
    expect(messages(money({ profit: -7 }, { isProfitOff: true }))).toEqual([
      'the account has a floating profit of -7.00; that of the shown positions is -1.00',
    ]);
    expect(explain(known, { ...look, account: null, isProfitOff: true }, nothingUnderWay)).toEqual([]);
    expect(kinds(explain(null, { ...look, isProfitOff: true }, nothingUnderWay))).toContain('profit_differs');
    expect(
      money({ margin: 0, profit: 0 }, { isProfitOff: true, positions: [], deals: [...look.deals, sold(0.5)] }),
    ).not.toContainEqual(expect.objectContaining({ kind: 'profit_differs' }));
  });
});

describe('the sums of an account beside its positions', () => {
  const { known, look } = account();
  const shown = { balance: known.balance ?? 0, margin: 10, profit: -1 };

  it.each([
    ['a first look', null],
    ['a later look', known],
  ])('are compared in %s', (_case, before) => {
    const sums = (changes: Partial<NonNullable<AccountLook['account']>>, marginNeeded?: number) =>
      kinds(
        explain(
          before,
          { ...look, account: { ...shown, ...changes }, ...(marginNeeded && { marginNeeded }) },
          nothingUnderWay,
        ),
      );
    expect(sums({ credit: 0, equity: 0 })).toEqual(['equity_differs']);
    expect(sums({ margin: 0 }, 25)).toEqual(['margin_differs']);
    expect(sums({ margin: 0 })).toEqual([]);
  });

  it('show no floating profit while the positions have one, or one that moved farther than they did', () => {
    const at = (profit: number) => [{ ...position, profit }];
    const wrong = (profit: number, now: number, before: number) =>
      wrongProfitOf({ ...shown, profit }, at(now), at(before));
    const differs = [expect.objectContaining({ kind: 'profit_differs', spoils: 'positions' })];
    expect([wrong(0, -5, 0), wrong(0, -5, -5), wrong(0, 0, -5)]).toEqual([differs, differs, []]);
    expect([wrong(-9, -5, -5), wrong(-9, -5, -1), wrong(-5, -5, -1)]).toEqual([differs, [], []]);
  });
});

describe('a first look', () => {
  const { look } = account();
  const first = (changes: Partial<AccountLook>): Unexplained[] =>
    explain(null, { ...look, account: null, ...changes }, nothingUnderWay);

  it('believes a position by its deals, of the history or all of them', () => {
    expect(first({ dealsOf: noDeals })).toEqual([]);
    expect(first({ deals: [] })).toEqual([]);
    expect(messages(first({ deals: [], dealsOf: noDeals }))).toEqual([
      `position ${position.ticket} is shown; no deal has opened it`,
    ]);
    expect(kinds(first({ deals: [], dealsOf: new Map([[identifier, []]]) }))).toEqual(['position_without_deals']);
  });

  it('names a position that its deals leave open, with the lots, and none whose opening is not loaded', () => {
    const hidden = { positions: [], dealsOf: noDeals };
    expect(first({ ...hidden, deals: [deal, sold(0.2)] })).toMatchObject([
      { symbol: 'EURUSD', message: `position ${identifier} is not shown; its deals leave 0.3 lots open` },
    ]);
    expect(first({ ...hidden, deals: [deal, sold(0.5)] })).toEqual([]);
    expect(first({ ...hidden, deals: [sold(0.2)] })).toEqual([]);
    expect(first({ ...hidden, deals: [later({ position_id: 0 })] })).toEqual([]);
    // All of its deals close it, and the history has only the first of them.
    expect(first({ positions: [], deals: [deal], dealsOf: new Map([[identifier, [deal, sold(0.5)]]]) })).toEqual([]);
  });
});
