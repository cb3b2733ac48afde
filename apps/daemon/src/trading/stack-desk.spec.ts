import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import type { Fill, Stream } from '@libs/strategy';
import { pino } from 'pino';
import { StrategyLog } from '../logs/strategy-log';
import type { Change } from '../state/state-store';
import type { StackRecord } from './stack';
import { StackDesk } from './stack-desk';

const euro: Stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const pound: Stream = { ...euro, symbol: 'GBPUSD' };
const stack: StackRecord = {
  ...{ id: 's1', strategy: 'ema', stream: 'main', broker: 'demo', symbol: 'EURUSD', side: 'buy', volume: 0.1 },
  ...{ spacing: 0.001, slDistance: null, tpDistance: null, anchor: 1.1, expiresMs: Number.MAX_SAFE_INTEGER },
  ...{ waiting: [2, 3], tickets: [7], over: false },
};
const fill: Fill = {
  ...{ stream: 'main', symbol: 'EURUSD', side: 'buy', volume: 0.1, price: 1.1, position: 7, deal: 1 },
  ...{ entry: 'in', reason: 'strategy', intentId: 's1', realized: 0, timeMs: 0 },
};
const quote = (ask: number) => ({ timeMs: 0, bid: ask - 0.0001, ask });

describe('the stacks of a strategy', () => {
  let entered: string[];
  let turns: (() => Promise<void>)[];
  let written: Change[];
  let price: number;
  let desk: StackDesk;

  const setUp = (remembered: readonly StackRecord[], streams: readonly Stream[] = [euro]): void => {
    [entered, turns, written, price] = [[], [], [], 1.1];
    desk = new StackDesk(streams, remembered, {
      strategy: 'ema',
      log: new StrategyLog(
        join(mkdtempSync(join(tmpdir(), 'stack-')), 'ema.log'),
        new SystemClock(),
        pino({ level: 'silent' }),
      ),
      commit: (change) => Promise.resolve(written.push(change) > 0),
      enter: ({ id }, _origin, along) => Promise.resolve(void [entered.push(id), written.push(along)]),
      denied: () => null,
      quote: () => quote(price),
      isOpen: () => true,
      unfit: () => null,
      marketMs: () => 0,
      inTurn: (work) => void turns.push(work),
      nanosNow: () => 0,
    });
  };
  const see = (ask: number): void => desk.onQuote('main', quote((price = ask)));
  const takeTurns = async (): Promise<void> => {
    for (const turn of turns.splice(0)) await turn();
  };

  it('enter a layer once, in its turn, however many quotes reach it', async () => {
    setUp([stack]);
    see(1.1011);
    see(1.1012);
    await takeTurns();
    see(1.1013);
    await takeTurns();
    expect(entered).toEqual(['s1/2']);
  });

  it('enter nothing at the prices of another market that their stream leads to by now, and end', async () => {
    setUp([stack]);
    see(1.1011);
    desk.respec([pound]);
    see(1.27);
    await takeTurns();
    expect(entered).toEqual([]);
    await desk.sweep();
    expect(desk.pending).toEqual([]);
    expect(written).toEqual([{ stacks: [{ ...stack, waiting: [], over: true }] }]);
  });

  it('end when a restart finds their stream on another account', async () => {
    setUp([stack], [{ ...euro, broker: 'other' }]);
    see(1.2);
    expect(turns).toEqual([]);
    await desk.sweep();
    expect(desk.pending).toEqual([]);
  });

  it('wait again when the turn of a layer was dropped with the events of a strategy that failed', async () => {
    setUp([stack]);
    see(1.1011);
    turns.length = 0;
    desk.turnsDropped();
    see(1.1012);
    await takeTurns();
    expect(entered).toEqual(['s1/2']);
  });

  it('have their anchor with the booking of the first layer, and each ticket once', () => {
    setUp([{ ...stack, anchor: null, tickets: [] }]);
    const first = { ...stack, anchor: 1.1, tickets: [7] };
    expect(desk.filled([fill])).toEqual({ stacks: [first] });
    expect(desk.filled([fill])).toEqual({});
    const layers = [2, 3].map((layer) => ({ ...fill, intentId: `s1/${layer}`, position: 7 + layer, price: 1.2 }));
    expect(desk.filled(layers)).toEqual({ stacks: [{ ...first, tickets: [7, 9, 10] }] });
    expect(desk.filled([{ ...fill, intentId: null, position: 20 }])).toEqual({});
  });
});
