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
    [
      'a pending order',
      () => once((_, trade) => trade.buy('main', { kind: 'limit', volume: 1, price: 1 })),
      'it places pending orders',
    ],
    [
      'orders of which one cancels the others',
      () =>
        once((_, trade) =>
          trade.oco([
            { stream: 'main', side: 'buy', kind: 'stop', volume: 1, price: 2 },
            { stream: 'main', side: 'sell', kind: 'stop', volume: 1, price: 1 },
          ]),
        ),
      'it places orders of which one cancels the others',
    ],
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
      'an entry with a level on the wrong side',
      () => once((bar, trade) => trade.buy('main', { volume: 0.1, sl: bar.close + 1 })),
      'a level was refused',
    ],
    ['a volume off the grid', () => once((_, trade) => trade.buy('main', { volume: 0.015 })), 'a volume was refused'],
    ['an entry beyond the margin', () => once((_, trade) => trade.buy('main', { volume: 30 })), 'the margin was short'],
    [
      'a position that is gone',
      () => once((_, trade) => trade.close(12)),
      'an action on a position that is not open was refused',
    ],
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

  it('limits for losses, and one for open positions that is reached', async () => {
    const risk = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null };
    expect(await left(strategyOf({}), { risk: { ...risk, maxDailyLoss: 5 } })).toBe('it has a limit for losses');
    const twice = (): Noted => once((_, trade) => [1, 2].forEach(() => trade.buy('main', { volume: 0.1 })));
    expect(await left(twice(), { risk: { ...risk, maxOpenPositions: 1 } })).toBe('an entry was denied');
    expect(typeof (await left(twice(), { risk: { ...risk, maxOpenPositions: 2 } }))).toBe('object');
  });

  it('an account that comes near its margin call', async () => {
    const run = new WorldRun(world, stream, { ...period, toMs: null }, { capital: 1_300 });
    const noted = (): Noted => once((_, trade) => trade.buy('main', { volume: 1 }));
    expect(['the account came near its margin call', 'the margin was short']).toContain(await run.inKernel(noted()));
  });
});
