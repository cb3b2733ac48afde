import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Simulator, simulatorOptions, simulatorSettings } from '../src';

/** What one replay of a month came to. */
export interface ReplayFigures {
  readonly quotes: number;
  readonly seconds: number;
  readonly quotesPerSecond: number;
  /** Heap and buffers in MiB after a collection: when the replay starts, the most on the way, and at its end. */
  readonly heapMiB: { readonly start: number; readonly most: number; readonly end: number };
  readonly deals: number;
}

const DAY_MS = 86_400_000;
const megabytes = ({ heapUsed, external }: NodeJS.MemoryUsage): number =>
  Math.round(((heapUsed + external) / 1_048_576) * 10) / 10;
const heapMiB = (): number => {
  globalThis.gc?.();
  return megabytes(process.memoryUsage());
};

/**
 * Replays recorded bars quote by quote, with positions, levels and pending orders waiting on them: the path on which
 * every quote is read. @param files bid and ask bars of one symbol
 */
export async function replayRun(files: readonly string[]): Promise<ReplayFigures> {
  const settings = readSettings(simulatorSettings, {
    SIM_FEED: `replay:${files.join(',')}`,
    SIM_REPLAY_WARMUP_BARS: '1',
    SIM_BALANCE: '1000000',
  });
  const simulator = new Simulator({ ...simulatorOptions(settings), pumpMs: 0 }, new VirtualClock());
  await simulator.start();
  simulator.loginByHand();
  const client = simulator.connect();
  await client.connect();
  const [symbol = ''] = simulator.options.symbols.map(({ name }) => name);
  const tick = await client.symbolInfoTick(symbol);
  const send = (fields: Parameters<typeof tradeRequest>[0]): Promise<unknown> =>
    client.orderSend(sealRequest('bench', tradeRequest({ symbol, volume: 1, ...fields })));
  for (let position = 0; position < 5; position++) {
    await send({ action: TradeAction.DEAL, type: position % 2, sl: 0, tp: 0 });
    const price = Math.round((tick?.bid ?? 1) * (0.95 - position / 1_000) * 1e5) / 1e5;
    await send({ action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price, type_filling: 2 });
  }
  const { positionMs, endMs } = simulator.feedStatus();
  const start = heapMiB();
  let most = start;
  let seconds = 0;
  for (let at = positionMs; at < (endMs ?? 0); at += DAY_MS) {
    const startedAt = performance.now();
    simulator.advanceTo(at + DAY_MS);
    seconds += (performance.now() - startedAt) / 1_000;
    most = Math.max(most, heapMiB());
  }
  const end = heapMiB();
  const ticks = await client.copyTicksRange(symbol, 0, Number.MAX_SAFE_INTEGER, -1);
  const quotes = ticks?.time.length ?? 0;
  const deals = (await client.historyDealsGet({ from: 0, to: 1e11 })).length;
  await simulator.stop();
  const quotesPerSecond = Math.round(quotes / seconds);
  return { quotes, seconds: Math.round(seconds * 1e4) / 1e4, quotesPerSecond, heapMiB: { start, most, end }, deals };
}
