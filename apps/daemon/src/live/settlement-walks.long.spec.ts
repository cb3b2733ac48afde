import type { LaggingList } from '@libs/simulator';
import { OrderType, TradeAction } from '@libs/terminal-client';
import * as fc from 'fast-check';
import { effort } from '../../../../test/setup/effort';
import { BookWorld } from '../backtest/testing/book-world';
import { FOK, IOC, RETURN, broker, expectBooked, limit, market } from '../backtest/testing/booked-orders';

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

// Netting, an order's parts may be in several positions: were their deals shown late, nothing would show that they are missing
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
        // What lagged is shown step by step; one order may be followed only when another's deals are booked.
        for (let look = 0; look < 4; look++) await world.look();
        await expectBooked(world);
        // Which position took the first part of an order that still works may stay unknown: that costs only a read.
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
