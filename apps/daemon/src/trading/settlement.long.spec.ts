import type { LaggingList } from '@libs/simulator';
import { OrderType, SymbolSwapMode, TradeAction } from '@libs/terminal-client';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { BookWorld } from '../backtest/testing/book-world';
import { realizedBy } from '../core/deal-booking';
import { effort } from '../../../../test/setup/effort';

const broker = 'demo';
const still = [[0, 1.1, 1.1001]] as const;
const [FOK, IOC, RETURN] = [0, 1, 2] as const;
const market = (side: 'buy' | 'sell', volume: number, type_filling: number = IOC) => ({
  ...{ action: TradeAction.DEAL, volume, type_filling, price: side === 'buy' ? 1.1001 : 1.1 },
  type: side === 'buy' ? OrderType.BUY : OrderType.SELL,
});
const limit = (price: number, volume: number) => ({
  ...{ action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price, volume, type_filling: RETURN },
});

/** Sends, claims, looks. */
async function order(world: BookWorld, fields: Parameters<BookWorld['send']>[0]): Promise<number> {
  await world.order(fields);
  const ticket = world.claim();
  if (ticket === null) throw new Error('the order was refused');
  await world.look();
  return ticket;
}

async function expectBooked(world: BookWorld): Promise<void> {
  const deals = await world.deals();
  const total = deals.reduce((sum, deal) => sum.plus(realizedBy(deal)), new Decimal(0));
  expect(world.book.realized.toFixed(2)).toBe(total.toFixed(2));
  expect(world.book.record.trades).toBe(deals.length);
  expect(world.fills.map(({ deal }) => deal).sort()).toEqual(deals.map(({ ticket }) => ticket).sort());
  const rows = await world.terminal.positionsGet();
  expect(volumes(world.book.positions)).toEqual(volumes(rows));
  for (const { identifier, volume } of rows) expect(Number(world.book.bookedVolume(broker, identifier))).toBe(volume);
  const waiting = (await world.terminal.ordersGet()).map((row) => ({ ...row, volume: row.volume_current }));
  expect(volumes(world.book.orders)).toEqual(volumes(waiting));
}

function volumes(of: readonly { readonly ticket: number; readonly volume: number }[]): readonly (readonly number[])[] {
  return of.map(({ ticket, volume }) => [ticket, volume] as const).sort(([a], [b]) => a - b);
}

describe('an order that is filled in part', () => {
  it('is booked by its deals; the cancelled rest is reported', async () => {
    const world = await BookWorld.start('hedging', still);
    const ticket = await order(world, market('buy', 0.5));
    expect(world.fills).toMatchObject([{ volume: 0.3, intentId: `i${ticket}`, entry: 'in' }]);
    expect(world.gone).toMatchObject([{ order: ticket, kind: 'cancelled', volume: 0.5, filled: 0.3 }]);
    await expectBooked(world);
    await world.send({ ...market('sell', 0.3), position: ticket });
    await world.look();
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
  });

  it('is a position and a pending order under one ticket, until it is filled completely', async () => {
    const quotes = [...still, [1_000, 1.0989, 1.099], [2_000, 1.0988, 1.0989]] as const;
    const world = await BookWorld.start('hedging', quotes);
    const ticket = await order(world, limit(1.099, 0.5));
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.5 }]);
    world.pass(1_000);
    await world.look();
    expect(world.book.positions).toMatchObject([{ ticket, volume: 0.3 }]);
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.2 }]);
    world.restart();
    await world.look();
    await expectBooked(world);
    expect(world.book.hasWorkingOrders(broker)).toBe(true);
    world.pass(1_000);
    await world.look();
    expect(world.book.positions).toMatchObject([{ ticket, volume: 0.5 }]);
    expect(world.book.hasWorkingOrders(broker)).toBe(false);
    expect(world.gone).toEqual([]);
    await expectBooked(world);
  });

  it('may be closed while the rest of it still works, and be filled again', async () => {
    const quotes = [...still, [1_000, 1.0989, 1.099], [2_000, 1.0988, 1.0989]] as const;
    const world = await BookWorld.start('hedging', quotes);
    const ticket = await order(world, limit(1.099, 0.6));
    world.pass(1_000);
    await world.look();
    await world.send({ ...market('sell', 0.3), price: 1.0989, position: ticket });
    await world.look();
    expect(world.book.positions).toEqual([]);
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.3 }]);
    await world.send({ action: TradeAction.REMOVE, order: ticket });
    await world.look();
    expect(world.gone).toMatchObject([{ order: ticket, kind: 'cancelled', filled: 0.3 }]);
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
  });
});

describe('a position that the broker reopens overnight', () => {
  it('stays the position of its order under another ticket, with every deal booked', async () => {
    const reopening = { swap_mode: SymbolSwapMode.REOPEN_CURRENT, swap_long: 5, swap_short: 5 };
    const world = await BookWorld.start('hedging', still, reopening);
    const ticket = await order(world, market('buy', 0.1));
    world.pass(86_400_000);
    await world.look();
    await world.look();
    const position = world.book.positions[0];
    expect(position?.ticket).not.toBe(ticket);
    expect(world.fills.map(({ entry, position: opened }) => [entry, opened])).toEqual([
      ['in', ticket],
      ['out', ticket],
      ['in', ticket],
    ]);
    await expectBooked(world);
    expect(world.book.named(position?.ticket ?? 0)).toMatchObject([{ ticket }]);
  });
});

describe('a netting account', () => {
  it('has entries add to one position, and each deal booked once', async () => {
    const world = await BookWorld.start('netting', still);
    const first = await order(world, market('buy', 0.1));
    const second = await order(world, market('buy', 0.2));
    expect(world.book.positions).toMatchObject([{ ticket: first, volume: 0.3 }]);
    expect(world.fills.map(({ intentId, position }) => [intentId, position])).toEqual([
      [`i${first}`, first],
      [`i${second}`, first],
    ]);
    await expectBooked(world);
  });

  it('has opposite entries reduce, close and reverse it', async () => {
    const world = await BookWorld.start('netting', still);
    const first = await order(world, market('buy', 0.1));
    const reversing = await order(world, market('sell', 0.2));
    // As much as before, the other way: its volume alone would not show it.
    expect(world.book.positions).toMatchObject([{ ticket: reversing, side: 'sell', volume: 0.1 }]);
    expect(world.fills.at(-1)).toMatchObject({ intentId: `i${reversing}`, entry: 'inout', position: first });
    await expectBooked(world);
    world.restart();
    await world.look();
    await order(world, market('buy', 0.1));
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
    const next = await order(world, market('sell', 0.1));
    expect(world.book.positions).toMatchObject([{ ticket: next, side: 'sell' }]);
    await expectBooked(world);
  });

  it('books a manual reversal, even if the open volume is the same as before', async () => {
    const world = await BookWorld.start('netting', still);
    await order(world, market('buy', 0.1));
    await world.send(market('sell', 0.2));
    await world.look();
    expect(world.fills.at(-1)).toMatchObject({ entry: 'inout', intentId: null });
    await expectBooked(world);
  });

  it('reports an order that fills into an external position, whose deals are not its own', async () => {
    const world = await BookWorld.start('netting', still);
    const theirs = await world.send(market('buy', 0.2));
    const ours = await order(world, market('buy', 0.1));
    expect(world.foreign).toEqual([theirs?.order]);
    expect(world.fills).toMatchObject([{ intentId: `i${ours}`, volume: 0.1, position: theirs?.order }]);
    await world.look();
    expect(world.book.positions).toMatchObject([{ volume: 0.3 }]);
  });
});

type Step =
  | { readonly kind: 'market'; readonly side: 'buy' | 'sell'; readonly lots: number; readonly filling: number }
  | { readonly kind: 'pending'; readonly side: 'buy' | 'sell'; readonly lots: number; readonly away: number }
  | { readonly kind: 'close'; readonly which: number; readonly lots: number }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'look'; readonly pauseMs: number; readonly readsLeft: number | null }
  | { readonly kind: 'lag'; readonly list: LaggingList | null }
  | { readonly kind: 'claim' }
  | { readonly kind: 'restart' };

const side = fc.constantFrom('buy' as const, 'sell' as const);
const lots = fc.integer({ min: 1, max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('market' as const),
      side,
      lots,
      filling: fc.constantFrom(FOK, IOC, RETURN),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pending' as const), side, lots, away: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('close' as const), which: fc.nat(9), lots }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      pauseMs: fc.constantFrom(0, 0, 400),
      readsLeft: fc.option(fc.nat(6), { nil: null, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('lag' as const),
      list: fc.constantFrom('positions' as const, 'orders' as const, 'history_orders' as const, 'deals' as const, null),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'claim' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** A walk of prices, a quote a second. */
const walk = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 120, maxLength: 120 }).map((moves) => {
  let pips = 0;
  return moves.map((move, index): readonly [number, number, number] => {
    pips += move;
    const bid = Number((1.1 + pips / 10_000).toFixed(5));
    return [index * 1_000, bid, Number((bid + 0.0001).toFixed(5))];
  });
});

const flat = Array.from({ length: 120 }, (_, index): readonly [number, number, number] => [index * 1_000, 1.1, 1.1001]);
const look: Step = { kind: 'look', pauseMs: 0, readsLeft: null };
const buy: Step = { kind: 'market', side: 'buy', lots: 4, filling: RETURN };
const sell = (tenths: number): Step => ({ kind: 'market', side: 'sell', lots: tenths, filling: FOK });
const close = (tenths: number): Step => ({ kind: 'close', which: 0, lots: tenths });
const pending: Step = { kind: 'pending', side: 'buy', lots: 1, away: 1 };
const claim: Step = { kind: 'claim' };
const second: Step = { kind: 'pass', seconds: 1 };

/** Found by this property on netting accounts. */
const found: readonly (readonly Step[])[] = [
  // A close, and a fill of an order that still works, leave the position's volume as it was.
  [buy, second, look, pending, claim, second, look, close(3), claim, buy, { kind: 'restart' }],
  // A reversed position has the ticket of its first order again.
  [
    ...[buy, sell(1), sell(3), claim, look, close(1), close(1), look],
    ...[{ kind: 'lag', list: 'positions' } as const, close(1), claim, look, pending, close(1), pending],
  ],
];

// Netting, an order's parts may be in several positions: were their deals shown late, nothing would tell that they miss
// until the position is closed.
describe.each([
  ['hedging', ['positions', 'orders', 'history_orders', 'deals']],
  ['netting', ['positions', 'orders', 'history_orders']],
] as const)('whatever happens on a %s account', (marginMode, lagging) => {
  it('is booked once, and adds up with the deals of the broker', async () => {
    await fc.assert(
      fc.asyncProperty(walk, fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (quotes, steps) => {
        const world = await BookWorld.start(marginMode, quotes);
        for (const taken of steps) await take(world, taken, lagging);
        while (world.claim() !== null);
        world.simulator.faults.clear();
        world.pauseMs = 0;
        // What lagged shows itself by and by; one order may be followed only when another's deals are booked.
        for (let look = 0; look < 4; look++) await world.look();
        await expectBooked(world);
        // Of an order that still works it may stay open which position took its first part: that costs a read, no more.
        const unsettled = world.book.unsettled(broker).filter(({ ticket }) => !world.book.orderRow(broker, ticket));
        expect(unsettled).toEqual([]);
        expect(world.foreign).toEqual([]);
        expect(new Set(world.gone.map(({ order: ticket }) => ticket)).size).toBe(world.gone.length);
      }),
      { numRuns: effort(150, 3_000), examples: found.map((steps): [typeof flat, Step[]] => [flat, [...steps]]) },
    );
  });
});

async function take(world: BookWorld, taken: Step, lagging: readonly LaggingList[]): Promise<void> {
  const { terminal, simulator } = world;
  const tick = await terminal.symbolInfoTick('EURUSD');
  const price = (of: 'buy' | 'sell'): number => (of === 'buy' ? (tick?.ask ?? 0) : (tick?.bid ?? 0));
  switch (taken.kind) {
    case 'market':
      return world.order({ ...market(taken.side, taken.lots / 10, taken.filling), price: price(taken.side) });
    case 'pending': {
      const away = ((taken.side === 'buy' ? -1 : 1) * taken.away) / 10_000;
      const type = taken.side === 'buy' ? OrderType.BUY_LIMIT : OrderType.SELL_LIMIT;
      const level = Number((price(taken.side) + away).toFixed(5));
      return world.order({ ...limit(level, taken.lots / 10), type });
    }
    case 'close': {
      const rows = await terminal.positionsGet();
      const row = rows[taken.which % Math.max(1, rows.length)];
      if (!row) return;
      const opposite = row.type === 0 ? 'sell' : 'buy';
      const volume = Math.min(taken.lots / 10, row.volume);
      await world.send({ ...market(opposite, volume), price: price(opposite), position: row.ticket });
      return;
    }
    case 'cancel': {
      const rows = await terminal.ordersGet();
      const row = rows[taken.which % Math.max(1, rows.length)];
      if (row) await world.send({ action: TradeAction.REMOVE, order: row.ticket });
      return;
    }
    case 'pass':
      return world.pass(taken.seconds * 1_000);
    case 'look':
      [world.pauseMs, world.readsLeft] = [taken.pauseMs, taken.readsLeft];
      await world.look();
      return;
    case 'lag':
      simulator.faults.clear();
      if (taken.list !== null && lagging.includes(taken.list)) {
        simulator.faults.set({ kind: 'lag', ms: 3_000, lists: [taken.list] });
      }
      return;
    case 'claim':
      return void world.claim();
    case 'restart':
      return world.restart();
  }
}
