import { PositionType, SymbolSwapMode } from '@libs/terminal-client';
import fc from 'fast-check';
import { RunningSimulator } from '../testing/running-simulator';
import { Conversion } from './conversion';
import { rounded } from './decimals';
import { PositionProfit, roundedProfit } from './floating-profit';
import { profitInDeposit } from './profit';
import { roundedSwap, swapOf } from './swap';

const quotes = {
  EURUSD: [[0, 1.0989, 1.0991]],
  USDJPY: [[0, 111.38, 111.387]],
  EURJPY: [[0, 120.024, 120.041]],
} as const;

describe('the profit of a trade', () => {
  it('is that of decimals to the last digit, however large it is', async () => {
    const { simulator } = await RunningSimulator.start({ feed: { kind: 'scripted', quotes } });
    const { market } = simulator.terminal.brokerNow();
    const conversion = new Conversion(market, 'USD');
    const points = fc.integer({ min: -40_000, max: 40_000 });
    const lots = fc.oneof(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1e8, max: 1e10 }));
    fc.assert(
      fc.property(
        fc.constantFrom('EURUSD', 'USDJPY', 'EURJPY'),
        points,
        lots,
        fc.boolean(),
        (name, change, lot, isBuy) => {
          const symbol = market.symbols.get(name);
          if (!symbol) throw new Error(`${name} is missing`);
          const { spec } = symbol;
          const open = symbol.feed.quote.bid;
          const close = Number((open + change * 10 ** -spec.digits).toFixed(spec.digits));
          const type = isBuy ? PositionType.BUY : PositionType.SELL;
          const trade = { spec, type, volume: lot / 100, open, close };
          const exactly = profitInDeposit(trade, conversion);
          const expected = exactly && rounded(exactly, 2).toNumber();
          // Of the pair without a currency of the account it is not asked.
          const own = name === 'EURJPY' ? expected : new PositionProfit(trade, conversion, 2).at(close);
          expect([roundedProfit(trade, conversion, 2), own]).toEqual([expected, expected]);
        },
      ),
      { numRuns: 2_000, examples: [['EURJPY', -39_549, 49_987, false]] },
    );
  });

  it('is unknown where no pair converts it, but for a profit of zero', async () => {
    const { simulator } = await RunningSimulator.start({ feed: { kind: 'scripted', quotes } });
    const { market } = simulator.terminal.brokerNow();
    const conversion = new Conversion(market, 'XAG');
    const spec = market.symbols.get('EURUSD')?.spec;
    if (!spec) throw new Error('EURUSD is missing');
    const trade = { spec, type: PositionType.BUY, volume: 1, open: 1.1, close: 1.2 };
    expect(roundedProfit(trade, conversion, 2)).toBeNull();
    expect(roundedProfit({ ...trade, close: 1.1 }, conversion, 2)).toBe(0);
  });
});

describe('the swap of a position', () => {
  it('is that of decimals to the last digit, in every mode', async () => {
    const { simulator } = await RunningSimulator.start({ feed: { kind: 'scripted', quotes } });
    const { market } = simulator.terminal.brokerNow();
    const conversion = new Conversion(market, 'USD');
    const { POINTS, CURRENCY_DEPOSIT, CURRENCY_MARGIN, INTEREST_OPEN, DISABLED } = SymbolSwapMode;
    fc.assert(
      fc.property(
        fc.constantFrom('EURUSD', 'USDJPY', 'EURJPY'),
        fc.constantFrom(POINTS, CURRENCY_DEPOSIT, CURRENCY_MARGIN, INTEREST_OPEN, DISABLED),
        fc.integer({ min: -9_999, max: 9_999 }),
        fc.integer({ min: 1, max: 50_000 }),
        fc.constantFrom(1, 3),
        (name, mode, rate, lots, days) => {
          const symbol = market.symbols.get(name);
          if (!symbol) throw new Error(`${name} is missing`);
          const spec = { ...symbol.spec, swap_mode: mode, swap_long: rate / 100, swap_short: rate / 1_000 };
          const { bid } = symbol.feed.quote;
          const type = lots % 2 === 0 ? PositionType.BUY : PositionType.SELL;
          const charge = { spec, type, volume: lots / 100, open: bid, price: bid, days };
          const exactly = swapOf(charge, conversion);
          expect(roundedSwap(charge, conversion, 2)).toBe(exactly ? rounded(exactly, 2).toNumber() : 0);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
