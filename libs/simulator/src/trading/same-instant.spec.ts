import { OrderType, Retcode, TradeAction, TradeReason } from '@libs/terminal-client';
import { RunningSimulator, TUESDAY } from '../testing/running-simulator';
import { type WrittenBar, writeBars } from '../testing/written-bars';

const minuteMs = 60_000;
/** Quotes at seconds 0, 20, 40 and 59 of each minute, of both symbols: both fall to their lows at second 20. */
const euro: readonly WrittenBar[] = [
  [1.1, 1.1005, 1.099, 1.1],
  [1.1, 1.1, 1.1, 1.1],
];
const pound: readonly WrittenBar[] = [
  [1.3, 1.301, 1.298, 1.3],
  [1.3, 1.301, 1.297, 1.3],
];

describe('quotes of two symbols at one instant', () => {
  const start = () =>
    RunningSimulator.start({
      feed: {
        kind: 'replay',
        files: [...writeBars('EURUSD', TUESDAY, euro, 0.0002), ...writeBars('GBPUSD', TUESDAY, pound, 0.0002)],
        startMs: TUESDAY,
        warmupBars: 0,
      },
    });
  const bought = async (sim: RunningSimulator, symbol: string, sl = 0) => {
    const order = { action: TradeAction.DEAL, type: OrderType.BUY, symbol, volume: 0.1, sl };
    expect((await sim.send(order)).retcode).toBe(Retcode.DONE);
  };
  const exits = async (sim: RunningSimulator) =>
    (await sim.deals())
      .filter(({ reason }) => reason === TradeReason.SL)
      .map(({ symbol, price, time_msc }) => [symbol, price, time_msc % minuteMs]);

  it('each reach the stop of their own position', async () => {
    const sim = await start();
    await bought(sim, 'EURUSD');
    await bought(sim, 'GBPUSD', 1.299);
    sim.simulator.advanceTo(TUESDAY + 2 * minuteMs);
    // The quote of EURUSD comes first. The account is valued with it, by the prices of both symbols.
    expect(await exits(sim)).toEqual([['GBPUSD', 1.299, 20_000]]);
  });

  it('each fill the order that waits for it', async () => {
    const sim = await start();
    for (const [symbol, price] of [
      ['EURUSD', 1.0995],
      ['GBPUSD', 1.299],
    ] as const) {
      const order = { action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, symbol, volume: 0.1, price };
      expect((await sim.send({ ...order, type_filling: 2 })).retcode).toBe(Retcode.DONE);
    }
    sim.simulator.advanceTo(TUESDAY + 2 * minuteMs);
    const fills = (await sim.deals()).map(({ symbol, price, time_msc }) => [symbol, price, time_msc % minuteMs]);
    expect(fills).toEqual([
      ['EURUSD', 1.0995, 20_000],
      ['GBPUSD', 1.299, 20_000],
    ]);
  });

  it('is reached by a stop at the instant at which an order expires', async () => {
    const sim = await start();
    await bought(sim, 'GBPUSD', 1.2975);
    const expiration = Math.floor(sim.simulator.serverClock.serverMs(TUESDAY + minuteMs + 20_000) / 1_000);
    const order = { action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, symbol: 'GBPUSD', volume: 0.1, price: 1 };
    expect((await sim.send({ ...order, type_filling: 2, type_time: 2, expiration })).retcode).toBe(Retcode.DONE);
    sim.simulator.advanceTo(TUESDAY + 2 * minuteMs);
    expect(await exits(sim)).toEqual([['GBPUSD', 1.2975, 20_000]]);
  });

  it('count as new prices at the instant at which an order expires', async () => {
    const sim = await start();
    await bought(sim, 'GBPUSD');
    const atMs = TUESDAY + minuteMs + 20_000;
    const expiration = Math.floor(sim.simulator.serverClock.serverMs(atMs) / 1_000);
    const order = { action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, symbol: 'GBPUSD', volume: 0.1, price: 1 };
    expect((await sim.send({ ...order, type_filling: 2, type_time: 2, expiration })).retcode).toBe(Retcode.DONE);
    sim.simulator.advanceTo(atMs - 1);
    const { market } = sim.simulator.terminal.brokerNow();
    const before = market.revision;
    sim.simulator.advanceTo(atMs);
    expect(market.revision).toBeGreaterThan(before);
  });

  it('is reached by a stop when it comes with the end of the day', async () => {
    // Server midnight is 21:00 UTC in summer. The market jumps below the stop with the first quote of the new day.
    const beforeMs = TUESDAY - (TUESDAY % 86_400_000) + 21 * 3_600_000 - 2 * minuteMs;
    const bars: WrittenBar[] = [
      [1.3, 1.3, 1.3, 1.3],
      [1.3, 1.3, 1.3, 1.3],
      [1.29, 1.31, 1.29, 1.31],
      [1.31, 1.31, 1.31, 1.31],
    ];
    const files = writeBars('GBPUSD', beforeMs, bars, 0.0002);
    const feed = { kind: 'replay', files, startMs: beforeMs, warmupBars: 0 } as const;
    const sim = await RunningSimulator.start({ feed }, beforeMs);
    await bought(sim, 'GBPUSD', 1.295);
    sim.simulator.advanceTo(beforeMs + 4 * minuteMs);
    expect(await exits(sim)).toEqual([['GBPUSD', 1.29, 0]]);
  });
});
