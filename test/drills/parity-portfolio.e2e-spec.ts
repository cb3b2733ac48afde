import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { priceFiles } from '../e2e/programs/prices';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { DaemonProgram } from '../e2e/daemon/daemon-program';

const minuteMs = 60_000;
/** Minutes of history, then a pause in which the daemon joins, then the minutes that are traded. */
const [past, pause, traded] = [200, 12, 45];
const quoteMs = 15_000;
/** Where the trades differ at one speed, the slower run decides: a busy machine may not answer before the next quote. */
const speeds = ['25', '12'];

interface Trade {
  readonly side: string;
  readonly symbol: string;
  readonly time: string;
  readonly entry: string;
  readonly volume: number;
  readonly price: number;
}
type Trades = Readonly<Record<string, readonly Trade[]>>;

const children = [
  {
    ...{ alias: 'cross', module: 'ema-cross', magic: 1, streams: { main: 'demo:GBPUSD@M1' } },
    params: { fast: 3, slow: 8 },
  },
  {
    ...{ alias: 'reversion', module: 'mean-reversion', magic: 2, streams: { main: 'demo:EURUSD@M1' } },
    params: { length: 20, enterZ: 1.5, stopZ: 1 },
  },
] as const;
const names = children.map(({ alias }) => `book/${alias}`);

/** Generated minutes from a line on, as ticks at even distances, with a pause in which the daemon can start. */
function evenTicks(path: string, firstLine: number): { readonly startsAt: string; readonly ends: RegExp } {
  const rows = (file: string | undefined, from: number): string[][] =>
    readFileSync(file ?? '', 'utf8')
      .split('\n')
      .slice(from, from + past + traded)
      .map((line) => line.split(','));
  const times = rows(priceFiles[0], 1).map(([time = '']) => Date.parse(time));
  const [bids, asks] = [rows(priceFiles[0], firstLine), rows(priceFiles[1], firstLine)];
  let lastMs = 0;
  const lines = bids.flatMap(([, ...prices], index) => {
    lastMs = (times[index] ?? 0) + (index < past ? 0 : pause * minuteMs);
    const [open, high, low, close] = prices;
    const spread = Math.max(0, Number(asks[index]?.[1]) - Number(open));
    return [open, low, high, close].map((bid, quarter) => {
      const time = new Date(lastMs + quarter * quoteMs).toISOString().replace('Z', '+00:00');
      return `${time},${bid},${(Number(bid) + spread).toFixed(5)}`;
    });
  });
  writeFileSync(path, `timestamp,bid,ask\n${lines.join('\n')}\n`);
  const startMs = (times[past - 1] ?? 0) + 2 * minuteMs;
  return { startsAt: new Date(startMs).toISOString(), ends: new RegExp(new Date(lastMs).toISOString().slice(0, 16)) };
}

describe('the backtest of a portfolio', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('makes the trades of the portfolio in the daemon, from the same configuration and prices', async () => {
    const folder = scratch.folder();
    const files = [join(folder, 'gbpusd-ticks.csv'), join(folder, 'eurusd-ticks.csv')] as const;
    const { startsAt, ends } = evenTicks(files[0], 1);
    evenTicks(files[1], 1_000);
    const backtested = await backtest(folder, configured(folder, 'http://127.0.0.1:9'), files, startsAt);
    let live: Trades = {};
    for (const speed of speeds) {
      live = await tradedLive(files, speed, startsAt, ends);
      if (names.every((name) => isSame(live[name], backtested[name]))) break;
    }
    for (const name of names) {
      const made = live[name] ?? [];
      expect([name, backtested[name]?.slice(0, made.length)]).toEqual([name, made]);
      expect(made.length).toBeGreaterThan(5);
      // The daemon is read a little before the end of the prices.
      expect([name, (backtested[name]?.length ?? 0) - made.length < 3]).toEqual([name, true]);
    }
  });

  async function tradedLive(files: readonly string[], speed: string, startsAt: string, ends: RegExp): Promise<Trades> {
    const gateway = await GatewayProgram.startReady(scratch, {
      ...{ SIM_FEED: `replay:${files.join(',')}`, SIM_SPEED: speed, SIM_REPLAY_START: startsAt, SIM_BALANCE: '10000' },
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const folder = scratch.folder();
    const config = configured(folder, gateway.url);
    const env = { API_KEY: gateway.key };
    const daemon = await DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env });
    for (const name of names) await daemon.untilStatus(name, ({ state }) => state === 'running');
    await gateway.until('/fetch_data_pos?symbol=GBPUSD&timeframe=M1&num_bars=1', ({ text }) => ends.test(text));
    for (const name of names) {
      await daemon.untilStatus(name, ({ orders, inboundQueueDepth }) => orders.inFlight + inboundQueueDepth === 0);
    }
    const { body } = await gateway.call('/history_deals_range?from_date=2023-01-31&to_date=2023-02-03');
    const deals = body['data'] as (Trade & {
      readonly magic: number;
      readonly position_id: number;
      readonly time_utc: string;
    })[];
    await daemon.stop();
    return Object.fromEntries(
      children.map(({ alias, magic }) => {
        const own = new Set(deals.filter((deal) => deal.magic === magic).map(({ position_id }) => position_id));
        const trades = deals
          .filter(({ position_id }) => own.has(position_id))
          .map(({ symbol, volume, price, time_utc, ...deal }) => ({
            ...{ side: Number((deal as { readonly type?: number }).type) === 0 ? 'buy' : 'sell', symbol },
            ...{ entry: Number(deal.entry) === 0 ? 'in' : 'out', volume, price },
            time: quoteTime(Date.parse(time_utc)),
          }));
        return [`book/${alias}`, trades];
      }),
    );
  }
});

function isSame(live: readonly Trade[] = [], backtested: readonly Trade[] = []): boolean {
  return JSON.stringify(live) === JSON.stringify(backtested.slice(0, live.length));
}

/** The configuration of the portfolio: the daemon and the backtest read the same. */
function configured(folder: string, url: string): string {
  const path = join(folder, 'daemon.yaml');
  const document = {
    gateways: { demo: { url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } },
    portfolios: [
      {
        ...{ name: 'book', capital: 10_000, risk: { maxDrawdownPct: 50 } },
        children: children.map(({ module, ...child }) => {
          return { ...child, weight: 0.5, module: join(repository, `strategies/${module}.ts`) };
        }),
      },
    ],
  };
  writeFileSync(path, JSON.stringify(document));
  return path;
}

async function backtest(folder: string, config: string, files: readonly string[], from: string): Promise<Trades> {
  const out = join(folder, 'portfolio.json');
  const program = new StartedProgram({
    command: process.execPath,
    args: [
      ...[join(repository, 'dist/apps/daemon/src/main.js'), 'backtest', '--config', config, '--portfolio', 'book'],
      ...['--data', files.join(','), '--from', from, '--out', out],
    ],
    env: bareEnvironment(),
  });
  expect([await program.exitCode(), program.output]).toEqual([0, expect.stringMatching(/^book\/cross .* ran$/m)]);
  const { fills } = JSON.parse(readFileSync(out, 'utf8')) as {
    readonly fills: readonly (Omit<Trade, 'time'> & { readonly timeMs: number; readonly strategy: string })[];
  };
  return Object.fromEntries(
    names.map((name) => {
      const own = fills.filter(({ strategy }) => strategy === name);
      const trades = own.map(({ side, symbol, entry, volume, price, timeMs }) => ({
        ...{ side, symbol, entry, volume, price, time: quoteTime(timeMs) },
      }));
      return [name, trades];
    }),
  );
}

/** The quote a deal was made at: the daemon takes its time until the next one. */
function quoteTime(timeMs: number): string {
  return new Date(Math.floor(timeMs / quoteMs) * quoteMs).toISOString();
}
