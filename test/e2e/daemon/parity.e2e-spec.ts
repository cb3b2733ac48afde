import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { readFaultAddress } from '@libs/simulator';
import { LinkClient } from '@libs/terminal-client';
import { GatewayProgram } from '../programs/gateway-program';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';
import { parityStrategies } from './parity-strategies';

const minuteMs = 60_000;
/** Minutes of history, then a pause in which the daemon joins, then the minutes that are traded. */
const [past, pause, traded] = [500, 3, 30];
const quoteMs = 15_000;

interface Trade {
  readonly side: string;
  readonly time: string;
  readonly entry: string;
  readonly volume: number;
  readonly price: number;
}

type Trades = Record<string, readonly Trade[]>;
type Traded = StrategyText & { readonly more: object };

interface Deal {
  readonly type: number;
  readonly entry: number;
  readonly volume: number;
  readonly price: number;
  readonly time_utc: string;
}

/**
 * The generated minutes as ticks at even distances, so that the daemon has the same time before each, and with a pause in
 * which it can start without missing one.
 */
function evenTicks(path: string): { readonly startsAt: string; readonly quotes: readonly number[] } {
  const [bids, asks] = priceFiles.map((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(1, past + traded + 1)
      .map((line) => line.split(',')),
  );
  const stamp = (timeMs: number): string => new Date(timeMs).toISOString().replace('Z', '+00:00');
  const quotes: number[] = [];
  const lines = (bids ?? []).flatMap(([time = '', ...prices], index) => {
    const openMs = Date.parse(time) + (index < past ? 0 : pause * minuteMs);
    const [open, high, low, close] = prices;
    const spread = Number(asks?.[index]?.[1]) - Number(open);
    return [open, low, high, close].map((bid, quarter) => {
      const ask = (Number(bid) + Math.max(0, spread)).toFixed(5);
      const quotedMs = openMs + quarter * quoteMs;
      if (index >= past) quotes.push(quotedMs);
      return `${stamp(quotedMs)},${bid},${ask}`;
    });
  });
  writeFileSync(path, `timestamp,bid,ask\n${lines.join('\n')}\n`);
  const startMs = (quotes[0] ?? 0) - (pause - 1) * minuteMs;
  return { startsAt: new Date(startMs).toISOString(), quotes };
}

describe('a backtest', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('makes the very trades of the daemon through the gateway over the same prices', async () => {
    const folder = scratch.folder();
    const file = join(folder, 'gbpusd-ticks.csv');
    const { startsAt, quotes } = evenTicks(file);
    const own = parityStrategies(folder);
    const shipped = (name: string): string => join(repository, `strategies/${name}.ts`);
    const strategies: readonly Traded[] = [
      { name: 'ema', module: shipped('ema-cross'), more: { params: { fast: 3, slow: 8 } } },
      {
        ...{ name: 'stack', module: shipped('donchian-stack') },
        more: { params: { channel: 8, exit: 4, layers: 4, spacingAtr: 0.4, stopAtr: 2 } },
      },
      { name: 'reversion', module: shipped('mean-reversion'), more: { params: { length: 20, enterZ: 1.5, stopZ: 1 } } },
      { name: 'risk', module: shipped('risk-breakout'), more: { params: { channel: 5, stopAtr: 1, reward: 1 } } },
      { name: 'pending', module: own.pending, more: {} },
      { name: 'ticks', module: own.ticks, more: {} },
    ].map((strategy, index) => ({ ...strategy, magic: index + 1, symbol: 'GBPUSD' }));
    const config = configuration(folder, 'http://127.0.0.1:9', strategies);
    const backtested: Trades = {};
    for (const { name } of strategies) backtested[name] = await backtest(folder, config, name, file, startsAt);

    const live = await tradedLive({ file, startsAt, quotes }, strategies);
    for (const { name } of strategies) {
      expect([name, live[name]]).toEqual([name, backtested[name]]);
      expect(live[name]?.length).toBeGreaterThan(5);
    }
    expect(live['stack']?.filter(({ entry }) => entry === 'in').length).toBeGreaterThan(4);
  });

  /** Moves the market from quote to quote, each when the daemon has answered the one before. */
  async function tradedLive(
    { file, startsAt, quotes }: { file: string; startsAt: string; quotes: readonly number[] },
    strategies: readonly Traded[],
  ): Promise<Trades> {
    const gateway = await GatewayProgram.startReady(scratch, {
      ...{ SIM_FEED: `replay:${file}`, SIM_SPEED: '0.0001', SIM_REPLAY_START: startsAt, SIM_BALANCE: '100000' },
      ...{ SIM_FAULTS: '1', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' },
    });
    const market = await marketOf(gateway);
    scratch.undo(() => market.close());
    const folder = scratch.folder();
    const watcher = { name: 'watcher', module: watcherFile(folder), magic: 99, symbol: 'GBPUSD', more: {} };
    const config = configuration(folder, gateway.url, [...strategies, watcher]);
    const env = { API_KEY: gateway.key };
    const daemon = await DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env });
    const names = [...strategies, watcher].map(({ name }) => name);
    for (const name of names) await daemon.untilStatus(name, ({ state }) => state === 'running');
    for (const [index, quotedMs] of quotes.entries()) {
      const { positionMs } = (await market.callExtension('sim.feedStatus', [])) as { readonly positionMs: number };
      await market.callExtension('sim.advance', [quotedMs - Math.floor(positionMs)]);
      // The pause has no bars.
      const seenMs = quotedMs - (index === 0 ? pause * minuteMs : 0);
      const seen = new RegExp(`saw ${seenMs}\\b`);
      await daemon.until<{ readonly lines: readonly string[] }>('/logs/watcher', ({ lines }) =>
        seen.test(lines.join()),
      );
      await waitUntil('an answered quote', () => openRows(gateway, daemon, names), areSettled);
    }
    const trades: Trades = {};
    for (const { name, magic = 0 } of strategies) trades[name] = await tradesOf(gateway, magic);
    await daemon.stop();
    return trades;
  }
});

async function marketOf(gateway: GatewayProgram): Promise<LinkClient> {
  const at = readFaultAddress(gateway.stateDir);
  if (!at) throw new Error('the gateway wrote no address for faults');
  const [address, limitMs] = [`127.0.0.1:${at.port}`, 60_000];
  const link = new LinkClient(
    { address, token: at.token, callTimeoutMs: limitMs, tradeTimeoutMs: limitMs },
    new SystemClock(),
  );
  await link.open();
  return link;
}

/** Tells which quote has reached the strategies; of a minute's first one, when they have the bar before it, too. */
function watcherFile(folder: string): string {
  const onTick = `onTick(tick, trade) { if (tick.timeMs % ${minuteMs} !== 0) trade.log('saw ' + tick.timeMs); },`;
  return strategyFile(folder, 'watcher', `trade.log('saw ' + (bar.timeMs + ${minuteMs}));`, onTick);
}

interface OpenRows {
  readonly busy: number;
  readonly atBroker: readonly string[] | null;
  readonly inBooks: readonly string[];
}

/** What is open for the broker, and for the daemon. */
async function openRows(gateway: GatewayProgram, daemon: DaemonProgram, names: readonly string[]): Promise<OpenRows> {
  type Row = { readonly ticket: number; readonly volume?: number };
  const rowsOf = (positions: readonly Row[], orders: readonly Row[]): string[] =>
    [
      ...positions.map(({ ticket, volume }) => `${ticket} ${volume}`),
      ...orders.map(({ ticket }) => `${ticket}`),
    ].sort();
  const states = await Promise.all(names.map((name) => daemon.status(name)));
  const answers = [await gateway.call('/get_positions'), await gateway.call('/orders')];
  // While an acknowledged request does not show yet, a list is refused.
  const isExplained = answers.every(({ status }) => status === 200);
  const [positions = [], orders = []] = answers.map(({ body }) => body['data'] as readonly Row[] | undefined);
  return {
    busy: states.reduce((sum, { orders: { inFlight }, inboundQueueDepth }) => sum + inFlight + inboundQueueDepth, 0),
    atBroker: isExplained ? rowsOf(positions, orders) : null,
    inBooks: rowsOf(
      states.flatMap((row) => row.positions),
      states.flatMap((row) => row.pendingOrders),
    ),
  };
}

function areSettled({ busy, atBroker, inBooks }: OpenRows): boolean {
  return busy === 0 && atBroker?.join() === inBooks.join();
}

async function tradesOf(gateway: GatewayProgram, magic: number): Promise<Trade[]> {
  const { body } = await gateway.call(`/history_deals_range?from_date=2023-01-31&to_date=2023-02-03`);
  const deals = body['data'] as (Deal & { readonly magic: number; readonly position_id: number })[];
  const own = new Set(deals.filter((deal) => deal.magic === magic).map(({ position_id }) => position_id));
  return deals
    .filter(({ position_id }) => own.has(position_id))
    .map(({ type, entry, volume, price, time_utc }) => ({
      ...{ side: type === 0 ? 'buy' : 'sell', entry: entry === 0 ? 'in' : 'out', volume, price },
      time: quoteTime(Date.parse(time_utc)),
    }));
}

/** The deals of a run of `daemon backtest` from the daemon's own configuration. */
async function backtest(folder: string, config: string, name: string, file: string, from: string): Promise<Trade[]> {
  const out = join(folder, `${name}.json`);
  const program = new StartedProgram({
    command: process.execPath,
    args: [
      ...[join(repository, 'dist/apps/daemon/src/main.js'), 'backtest', '--config', config, '--strategy', name],
      ...['--data', file, '--from', from, '--out', out],
    ],
    env: bareEnvironment(),
  });
  expect([await program.exitCode(), program.output]).toEqual([0, expect.stringMatching(/^net profit +-?\d/m)]);
  const { fills } = JSON.parse(readFileSync(out, 'utf8')) as {
    readonly fills: readonly (Omit<Trade, 'time'> & { readonly timeMs: number })[];
  };
  return fills.map(({ side, entry, volume, price, timeMs }) => ({
    ...{ side, entry, volume, price },
    time: quoteTime(timeMs),
  }));
}

/** The quote a deal was made at: the daemon takes its time until the next one. */
function quoteTime(timeMs: number): string {
  return new Date(Math.floor(timeMs / quoteMs) * quoteMs).toISOString();
}
