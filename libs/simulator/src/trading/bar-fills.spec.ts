import { OrderType, Retcode, TradeAction, type TradeDeal, type TradeRequest } from '@libs/terminal-client';
import type { LimitFill } from '../quotes/quote-source';
import type { AccountOptions } from '../simulator-options';
import type { SymbolSpec } from '../symbols/symbol-spec';
import { RunningSimulator, symbolLike, TUESDAY } from '../testing/running-simulator';
import { type WrittenBar, writeBars } from '../testing/written-bars';

/** Two pips between bid and ask. */
const spread = 0.0002;
const minuteMs = 60_000;

/** Bid bars whose quotes come at seconds 0, 20, 40 and 59. Down to the low first, then up, as that is the shorter path. */
const rising: WrittenBar = [1.499, 1.506, 1.4985, 1.505];
/** Up to the high first, then down. */
const falling: WrittenBar = [1.505, 1.5055, 1.498, 1.499];
const still: WrittenBar = [1.499, 1.499, 1.499, 1.499];
/** After {@link still}: it opens above 1.5020, and falls far. */
const gapUp: WrittenBar = [1.503, 1.5035, 1.49, 1.495];
const gapDown: WrittenBar = [1.497, 1.498, 1.496, 1.4975];

type Order = readonly [type: number, fields: Partial<TradeRequest>];

const buy = (levels: Partial<TradeRequest>): Order => [OrderType.BUY, levels];
const sell = (levels: Partial<TradeRequest>): Order => [OrderType.SELL, levels];

interface Changes {
  readonly limitFill?: LimitFill;
  readonly symbols?: SymbolSpec[];
  readonly account?: Partial<AccountOptions>;
}

/** Sends orders at the first quote of the first bar, and replays the bars. Second of each deal after it, price, profit. */
async function dealsOf(
  bars: readonly WrittenBar[],
  orders: readonly Order[],
  { limitFill, ...changes }: Changes = {},
): Promise<(readonly [second: number, price: number, profit: number])[]> {
  const files = writeBars('GBPUSD', TUESDAY, bars, spread);
  const feed = { kind: 'replay', files, startMs: TUESDAY, warmupBars: 0, ...(limitFill && { limitFill }) } as const;
  const sim = await RunningSimulator.start({ feed, ...changes });
  for (const [type, fields] of orders) {
    const isMarket = type <= OrderType.SELL;
    const action = isMarket ? TradeAction.DEAL : TradeAction.PENDING;
    const filling = isMarket ? {} : { type_filling: 2 };
    const { retcode } = await sim.send({ action, type, symbol: 'GBPUSD', volume: 1, ...filling, ...fields });
    expect(retcode).toBe(Retcode.DONE);
  }
  sim.simulator.advanceTo(TUESDAY + bars.length * minuteMs);
  const startMs = sim.simulator.serverClock.serverMs(TUESDAY);
  return (await sim.deals()).map(({ time_msc, price, profit }: TradeDeal) => {
    return [(time_msc - startMs) / 1_000, price, profit] as const;
  });
}

describe('inside a replayed bar', () => {
  // A pip of a lot is 10 dollars. Long from the ask of the open, 1.4992; short from its bid, 1.4990.
  it.each([
    ['a target above', buy({ tp: 1.502 }), [40, 1.502, 280]],
    ['a stop loss below', buy({ sl: 1.4987 }), [20, 1.4987, -50]],
    ['a target of a short position, by the ask', sell({ tp: 1.4988 }), [20, 1.4988, 20]],
    ['a stop loss of a short position, by the ask', sell({ sl: 1.502 }), [40, 1.502, -300]],
  ])('%s closes at its own price', async (_, order, exit) => {
    expect((await dealsOf([rising], [order])).slice(1)).toEqual([exit]);
  });

  it.each([
    ['a buy stop', OrderType.BUY_STOP, { price: 1.502 }, [40, 1.502, 0]],
    ['a sell stop', OrderType.SELL_STOP, { price: 1.4987 }, [20, 1.4987, 0]],
    ['a buy limit', OrderType.BUY_LIMIT, { price: 1.4989 }, [20, 1.4989, 0]],
    ['a sell limit', OrderType.SELL_LIMIT, { price: 1.502 }, [40, 1.502, 0]],
  ])('%s fills at its own price', async (_, type, fields, entry) => {
    expect(await dealsOf([rising], [[type, fields]])).toEqual([entry]);
  });

  it('a stop-limit turns into a limit order at its trigger, and fills at its limit on the way back', async () => {
    // Up through 1.5020 in the first bar, down through 1.5010 in the second.
    const order: Order = [OrderType.BUY_STOP_LIMIT, { price: 1.502, stoplimit: 1.501 }];
    expect(await dealsOf([rising, falling], [order])).toEqual([[100, 1.501, 0]]);
    // Down through 1.4987 with its limit above it, and up to it in the same bar.
    const short: Order = [OrderType.SELL_STOP_LIMIT, { price: 1.4987, stoplimit: 1.501 }];
    expect(await dealsOf([rising], [short])).toEqual([[40, 1.501, 0]]);
  });

  it('orders and levels are carried out in the order of the path', async () => {
    // Placed the other way round; a target is reached by the position that the path has opened before.
    const orders: Order[] = [
      [OrderType.BUY_STOP, { price: 1.504 }],
      [OrderType.BUY_STOP, { price: 1.502, tp: 1.503 }],
    ];
    // At the bid of 1.5030 the ask is 1.5032, still below 1.5040.
    expect(await dealsOf([rising], orders)).toEqual([
      [40, 1.502, 0],
      [40, 1.503, 100],
      [40, 1.504, 0],
    ]);
  });

  it('a stop loss that the price has passed before the position opened is not reached', async () => {
    // The low of the bar, 1.4985, comes before the buy stop fills.
    const order: Order = [OrderType.BUY_STOP, { price: 1.502, sl: 1.4988 }];
    expect(await dealsOf([rising], [order])).toEqual([[40, 1.502, 0]]);
  });

  it('an order is rejected without the money for it at that point, even if the position gains later', async () => {
    // Each lot takes a margin of 1,499 to 1,500 dollars. At the bid of 1.4998 beside the order the long position has
    // gained 60: 2800 - 1499.20 + 60 = 1360.80 are free. At the high they would be 1980.80.
    const orders: Order[] = [buy({}), [OrderType.BUY_STOP, { price: 1.5 }]];
    expect(await dealsOf([rising], orders, { account: { balance: 2_800 } })).toHaveLength(1);
    expect(await dealsOf([rising], orders, { account: { balance: 3_000 } })).toHaveLength(2);
  });
});

describe('a limit order or a target inside a replayed bar', () => {
  /** Its high is the target itself, or one point above it. */
  const [touching, through]: readonly WrittenBar[] = [
    [1.499, 1.502, 1.4985, 1.5],
    [1.499, 1.50201, 1.4985, 1.5],
  ];
  const orders: readonly (readonly [string, Order, number])[] = [
    ['target', buy({ tp: 1.502 }), 1],
    ['sell limit', [OrderType.SELL_LIMIT, { price: 1.502 }], 0],
  ];

  it.each(orders)('needs the price to go through it: %s', async (_, order, before) => {
    expect((await dealsOf([touching ?? still], [order])).slice(before)).toEqual([]);
    const [deal] = (await dealsOf([through ?? still], [order])).slice(before);
    expect(deal?.slice(0, 2)).toEqual([40, 1.502]);
  });

  it.each(orders)('with `touch` needs the price to come to it: %s', async (_, order, before) => {
    const [deal] = (await dealsOf([touching ?? still], [order], { limitFill: 'touch' })).slice(before);
    expect(deal?.slice(0, 2)).toEqual([40, 1.502]);
  });

  it('does not apply to stops: a price that reaches them triggers them', async () => {
    expect(await dealsOf([touching ?? still], [[OrderType.SELL_STOP, { price: 1.4985 }]])).toEqual([[20, 1.4985, 0]]);
    const [, exit] = await dealsOf([touching ?? still], [buy({ sl: 1.4985 })]);
    expect(exit).toEqual([20, 1.4985, -70]);
  });
});

describe('between two replayed bars a gap carries out at the first quote', () => {
  it.each([
    ['a buy stop', [OrderType.BUY_STOP, { price: 1.502 }] as const, gapUp, [60, 1.5032, 0]],
    ['a sell limit', [OrderType.SELL_LIMIT, { price: 1.502 }] as const, gapUp, [60, 1.503, 0]],
    ['a sell stop', [OrderType.SELL_STOP, { price: 1.498 }] as const, gapDown, [60, 1.497, 0]],
    ['a buy limit', [OrderType.BUY_LIMIT, { price: 1.498 }] as const, gapDown, [60, 1.4972, 0]],
  ])('%s', async (_, order, bar, entry) => {
    expect(await dealsOf([still, bar], [order])).toEqual([entry]);
  });

  it.each([
    ['a target', buy({ tp: 1.502 }), gapUp, [60, 1.503, 380]],
    ['a stop loss', buy({ sl: 1.4987 }), gapDown, [60, 1.497, -220]],
    ['a stop loss of a short position', sell({ sl: 1.502 }), gapUp, [60, 1.5032, -420]],
  ])('%s', async (_, order, bar, exit) => {
    expect((await dealsOf([still, bar], [order])).slice(1)).toEqual([exit]);
  });

  it('a stop-limit is triggered there, and fills at its limit when the price comes back to it', async () => {
    const order: Order = [OrderType.BUY_STOP_LIMIT, { price: 1.502, stoplimit: 1.501 }];
    // Up to 1.5035 first, then down to an ask of 1.4902.
    expect(await dealsOf([still, gapUp], [order])).toEqual([[100, 1.501, 0]]);
  });
});

describe('an order that finds too little depth inside a replayed bar', () => {
  it('fills one piece a quote', async () => {
    const symbols = [symbolLike('GBPUSD', { market: { depth: 0.4 } })];
    const order: Order = [OrderType.BUY_LIMIT, { price: 1.4989 }];
    // The way up begins at 1.4987, which is the quote that has given its piece already.
    const low: WrittenBar = [1.4985, 1.4985, 1.4985, 1.4985];
    expect(await dealsOf([rising, low], [order], { symbols })).toEqual([
      [20, 1.4989, 0],
      [60, 1.4987, 0],
      [80, 1.4987, 0],
    ]);
  });
});
