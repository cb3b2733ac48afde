import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, type StrategyText } from './daemon-program';
import { parityStrategies } from './parity-strategies';

const minuteMs = 60_000;
/** Minutes of history, then a pause in which the daemon joins, then the minutes that are traded. */
const [past, pause, traded] = [500, 12, 30];
const quoteMs = 15_000;
/**
 * The same trades need a daemon that has answered one quote before the next, which a busy machine may not leave it time
 * for. Where the trades differ at one speed, the slower run decides: what is not the same trade differs there, too.
 */
const speeds = ['12', '8'];

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
function evenTicks(path: string): { readonly startsAt: string; readonly ends: RegExp } {
  const [bids, asks] = priceFiles.map((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(1, past + traded + 1)
      .map((line) => line.split(',')),
  );
  const stamp = (timeMs: number): string => new Date(timeMs).toISOString().replace('Z', '+00:00');
  let lastMs = 0;
  const lines = (bids ?? []).flatMap(([time = '', ...prices], index) => {
    lastMs = Date.parse(time) + (index < past ? 0 : pause * minuteMs);
    const [open, high, low, close] = prices;
    const spread = Number(asks?.[index]?.[1]) - Number(open);
    return [open, low, high, close].map((bid, quarter) => {
      const ask = (Number(bid) + Math.max(0, spread)).toFixed(5);
      return `${stamp(lastMs + quarter * quoteMs)},${bid},${ask}`;
    });
  });
  writeFileSync(path, `timestamp,bid,ask\n${lines.join('\n')}\n`);
  const startMs = Date.parse(bids?.[past - 1]?.[0] ?? '') + 2 * minuteMs;
  return { startsAt: new Date(startMs).toISOString(), ends: new RegExp(new Date(lastMs).toISOString().slice(0, 16)) };
}

describe('a backtest', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('makes the very trades of the daemon through the gateway over the same prices', async () => {
    const folder = scratch.folder();
    const file = join(folder, 'gbpusd-ticks.csv');
    const { startsAt, ends } = evenTicks(file);
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

    let live: Trades = {};
    for (const speed of speeds) {
      live = await tradedLive({ file, speed, startsAt, ends }, strategies);
      if (differing(live, backtested).length === 0) break;
    }
    for (const name of differing(live, backtested)) {
      expect([name, backtested[name]?.slice(0, live[name]?.length)]).toEqual([name, live[name]]);
    }
    for (const { name } of strategies) {
      const [made = 0, wanted = 0] = [live[name]?.length, backtested[name]?.length];
      expect(wanted).toBeGreaterThan(5);
      // The daemon is read a little before the end of the prices.
      expect([name, wanted - made < 3]).toEqual([name, true]);
    }
    expect(live['stack']?.filter(({ entry }) => entry === 'in').length).toBeGreaterThan(4);
  });

  async function tradedLive(
    { file, speed, startsAt, ends }: { file: string; speed: string; startsAt: string; ends: RegExp },
    strategies: readonly Traded[],
  ): Promise<Trades> {
    const gateway = await GatewayProgram.startReady(scratch, {
      ...{ SIM_FEED: `replay:${file}`, SIM_SPEED: speed, SIM_REPLAY_START: startsAt, SIM_BALANCE: '100000' },
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const folder = scratch.folder();
    const config = configuration(folder, gateway.url, strategies);
    const env = { API_KEY: gateway.key };
    const daemon = await DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env });
    for (const { name } of strategies) await daemon.untilStatus(name, ({ state }) => state === 'running');
    const bars = '/fetch_data_pos?symbol=GBPUSD&timeframe=M1&num_bars=1';
    await gateway.until(bars, ({ text }) => ends.test(text));
    const trades: Trades = {};
    for (const { name, magic = 0 } of strategies) {
      await daemon.untilStatus(name, ({ orders, inboundQueueDepth }) => orders.inFlight + inboundQueueDepth === 0);
      trades[name] = await tradesOf(gateway, magic);
    }
    await daemon.stop();
    return trades;
  }
});

/** Strategies whose trades are not the backtest's, as far as they got. */
function differing(live: Trades, backtested: Trades): string[] {
  return Object.keys(live).filter((name) => {
    const made = live[name] ?? [];
    return JSON.stringify(made) !== JSON.stringify(backtested[name]?.slice(0, made.length));
  });
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
