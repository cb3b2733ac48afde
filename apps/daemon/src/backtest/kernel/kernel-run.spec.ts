import { defineStrategy, type Handlers } from '@libs/strategy';
import { loadedOf, WorldRun, type Noted } from './testing/kernel-cases';
import { kernelWorlds } from './testing/kernel-worlds';

const [world, , yen] = kernelWorlds();
if (!world || !yen) throw new Error('no cases were made');
const stream = { alias: 'main', broker: 'backtest', symbol: world.symbol, timeframe: 'M1' };
const period = { fromMs: world.opensMs[100] ?? null, toMs: world.opensMs[200] ?? null };

function strategyOf(handlers: Handlers, wanted = {}): Noted {
  return {
    strategy: loadedOf(defineStrategy({ version: 1, params: class {}, create: () => handlers, ...wanted }), stream),
    seen: [],
  };
}

const risk = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null };

/** A strategy that does something at its third bar. */
function once(act: Handlers['onBar']): Noted {
  let bars = 0;
  return strategyOf({ onBar: (bar, trade) => (++bars === 3 ? act?.(bar, trade) : undefined) });
}

describe('the kernel leaves to the full engine, with the reason,', () => {
  const left = async (noted: Noted, changes = {}): Promise<unknown> => {
    const run = new WorldRun(world, stream, period, changes);
    return run.inKernel(noted);
  };

  it.each<[string, () => Noted, string]>([
    ['a handler of ticks', () => strategyOf({ onTick: () => undefined }), 'it has a handler of ticks'],
    ['the account', () => once((_, trade) => trade.account('main')), 'it reads the account'],
    [
      'an error',
      () =>
        once(() => {
          throw new Error('broken');
        }),
      'a handler threw an error',
    ],
    [
      'an order that waits, taken for a position',
      () =>
        once((bar, trade) => {
          trade.buy('main', { kind: 'limit', volume: 1, price: bar.close - 0.01 });
          // The ticket that it gets.
          for (let ticket = 530_218_001; ticket < 530_218_020; ticket++) trade.close(ticket);
        }),
      'it treats an order that waits as a position',
    ],
    ['an entry beyond the margin', () => once((_, trade) => trade.buy('main', { volume: 30 })), 'the margin was short'],
    [
      'too few past bars',
      () => strategyOf({}, { warmupBars: 1_000 }),
      'main needs 1000 past bars; backtest has 100 of EURUSD@M1',
    ],
  ])('%s', async (_, noted, reason) => {
    expect(await left(noted())).toBe(reason);
  });

  it('a strategy that catches what a read throws', async () => {
    const caught = once((_, trade) => {
      try {
        trade.account('main');
      } catch {
        // As a careless strategy does.
      }
    });
    expect(await left(caught)).toBe('it reads the account');
  });

  it('limits for losses', async () => {
    expect(await left(strategyOf({}), { risk: { ...risk, maxDailyLoss: 5 } })).toBe('it has a limit for losses');
  });

  it('amounts that doubles do not count exactly', async () => {
    const costly = { ...world, name: 'costly', broker: { ...world.broker, SIM_COMMISSION: '200000000000' } };
    const run = new WorldRun(costly, stream, period);
    expect(await run.inKernel(once((_, trade) => trade.buy('main', { volume: 0.1 })))).toBe(
      'an amount is beyond the kernel',
    );
  });

  it('an account that comes near its margin call', async () => {
    const run = new WorldRun(world, stream, { ...period, toMs: null }, { capital: 1_300 });
    const noted = (): Noted => once((_, trade) => trade.buy('main', { volume: 1 }));
    expect(['the account came near its margin call', 'the margin was short']).toContain(await run.inKernel(noted()));
  });
});

describe('the kernel comes to the figures of the full engine', () => {
  /** Always two positions, of which the later one is closed first, a half of it before; the last ones stay open. */
  function turning(): Noted {
    let bars = 0;
    return strategyOf({
      onBar: (bar, trade) => {
        const open = [...trade.positions()].reverse();
        const [newest] = open;
        bars++;
        if (bars % 9 === 1) trade.buy('main', { volume: 0.13 });
        if (bars % 9 === 2) trade.sell('main', { volume: 0.07, tp: bar.close - bar.close / 2_000 });
        if (bars % 9 === 5 && newest) trade.closePart(newest, newest.volume - 0.03);
        if (bars % 9 === 8) for (const position of open) trade.close(position);
      },
    });
  }

  /** Places a group around the market every ten bars, which lapses after eight, and cancels what waits now and then. */
  function breaking(): Noted {
    let bars = 0;
    return strategyOf({
      onBar: (bar, trade) => {
        bars++;
        if (bars % 37 === 0) for (const order of trade.orders()) trade.cancel(order);
        for (const position of trade.positions()) if (bars % 10 === 9) trade.close(position);
        if (bars % 10 !== 1 || !trade.quote('main')) return;
        const away = (bar.high - bar.low) / 2;
        const expirationMs = trade.timeMs + 8 * 60_000;
        const terms = { stream: 'main', kind: 'stop', volume: 0.1, expirationMs } as const;
        trade.oco([
          { ...terms, side: 'buy', price: bar.high + away, sl: bar.low },
          { ...terms, side: 'sell', price: bar.low - away, sl: bar.high },
        ]);
      },
    });
  }

  it('of groups of orders, of which one cancels the others, without a deal to look at', async () => {
    const run = new WorldRun(world, stream, { ...period, toMs: world.opensMs[600] ?? null });
    const { figures, days, equity } = await run.inEngine(breaking());
    expect((figures as { readonly trades: number }).trades).toBeGreaterThan(20);
    const kernel = await run.inKernel(breaking(), { ledger: false, curve: true });
    expect(kernel).toEqual({ figures, days, equity, fills: [], costs: [], seen: [] });
  });

  it.each(kernelWorlds().map((each) => [each.name, each] as const))(
    'without a deal to look at, in %s',
    async (_, each) => {
      const of = { ...stream, symbol: each.symbol, timeframe: each.timeframe };
      const run = new WorldRun(each, of, {
        ...period,
        fromMs: each.opensMs[30] ?? null,
        toMs: each.opensMs[270] ?? null,
      });
      const { figures, days, equity } = await run.inEngine(turning());
      expect(figures).toHaveProperty('open', 2);
      const kernel = await run.inKernel(turning(), { ledger: false, curve: true });
      expect(kernel).toEqual({ figures, days, equity, fills: [], costs: [], seen: [] });
    },
  );
});

describe('the kernel rejects in the words of the full engine', () => {
  /** Opens a position at its second bar, and does something at its third. */
  function noting(act: Handlers['onBar']): Noted {
    const seen: string[] = [];
    let bars = 0;
    const onBar: Handlers['onBar'] = (bar, trade) => {
      if (++bars === 2) trade.sell('main', { volume: 0.1 });
      if (bars === 3) act?.(bar, trade);
    };
    return { ...strategyOf({ onBar, onReject: (reject) => seen.push(JSON.stringify(reject)) }), seen };
  }

  it.each<[string, Handlers['onBar'], string]>([
    [
      'an entry with a level on the wrong side',
      (bar, trade) => trade.buy('main', { volume: 0.1, sl: bar.close + 1 }),
      'validation_error: sl: must be below',
    ],
    ['a volume off the grid', (_, trade) => trade.buy('main', { volume: 0.015 }), 'validation_error: volume: must be'],
    ['a volume above all limits', (_, trade) => trade.buy('main', { volume: 101 }), 'volume_limit_exceeded'],
    ['a volume above that of the strategy', (_, trade) => trade.buy('main', { volume: 3 }), 'volume 3 is above maxVo'],
    [
      'a deviation above the limit',
      (_, trade) => trade.buy('main', { volume: 0.1, deviation: 1_001 }),
      'order_deviation_exceeded',
    ],
    [
      'more positions than the strategy may have',
      (_, trade) => [1, 2].forEach(() => trade.buy('main', { volume: 0.1 })),
      'maxOpenPositions 2 reached',
    ],
    [
      'more orders and positions than the strategy may have',
      (bar, trade) => [1, 2].forEach(() => trade.buy('main', { kind: 'limit', volume: 0.1, price: bar.close - 0.01 })),
      'maxOpenPositions 2 reached',
    ],
    [
      'an order on the wrong side of the market',
      (bar, trade) => trade.sell('main', { kind: 'stop', volume: 0.1, price: bar.close + 0.01 }),
      'validation_error: price: must be below the bid',
    ],
    [
      'an order that has lapsed when it is placed',
      (bar, trade) =>
        trade.buy('main', { kind: 'stop', volume: 0.1, price: bar.close + 0.01, expirationMs: bar.timeMs }),
      'expiration',
    ],
    ['an order that is not its own', (_, trade) => trade.cancel(12), 'ticket 12 is not open or not owned'],
    ['a change of an order that is not its own', (_, trade) => trade.modify(12, { price: 1 }), 'ticket 12 is not open'],
    ['a position that is not its own', (_, trade) => trade.close(12), 'ticket 12 is not open or not owned'],
    [
      'a trailing stop of a position that is not its own',
      (_, trade) => trade.trail(12, { distance: 1 }),
      'ticket 12 is not open or not owned',
    ],
    [
      'a position that it has closed',
      (_, trade) => {
        const [position] = trade.positions();
        if (position) [1, 2].forEach(() => trade.close(position));
      },
      'is not open or not owned',
    ],
    [
      'more than is open',
      (_, trade) => trade.positions().forEach((position) => trade.closePart(position, 0.2)),
      'validation_error: position.volume',
    ],
    [
      'a level of a position on the wrong side',
      (bar, trade) => trade.positions().forEach((position) => trade.protect(position, { sl: bar.close - 1 })),
      'validation_error: sl: must be above',
    ],
  ])('%s', async (what, act, reason) => {
    const maxVolume = what.includes('of the strategy') ? 2 : null;
    const run = new WorldRun(world, stream, period, { risk: { ...risk, maxVolume, maxOpenPositions: 2 } });
    const engine = await run.inEngine(noting(act));
    expect(engine.seen).toEqual([expect.stringContaining(reason)]);
    expect(await run.inKernel(noting(act))).toEqual(engine);
  });
});
