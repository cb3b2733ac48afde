import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DealEntry, DealType, TradeReason } from '@libs/trade-constants';
import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { StrategyLog } from '../logs/strategy-log';
import { HandledBarLog } from '../strategies/handled-bar-log';
import { StateStore } from '../state/state-store';
import { blankRecord, type IntentRecord } from '../core/records';
import { ContractGateway } from '../testing/contract-gateway';
import { owned } from '../testing/fleet-rig';
import { printedBy } from '../testing/printed';

const minuteMs = 60_000;
/** A Tuesday. */
const beginMs = Date.UTC(2024, 0, 2);
const at = (minutes: number, ms = 0) => new Date(beginMs + minutes * minuteMs + ms).toISOString();
const [from, to] = ['2024-01-02T02:00', '2024-01-02T03:00'];
/** Pip by pip, up and down: every bar opens where the one before closed. */
const bid = (minute: number) => Number((1.1 + (minute % 2) * 0.0001).toFixed(5));
const spread = 0.0001;
/** Two hours ahead of UTC. */
const serverMs = (minute: number) => beginMs + minute * minuteMs + 7_200_000;

/** Buys at 2:01, 2:21 and 2:41, or sells four minutes later, and closes after ten minutes. */
const strategy = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 7,
  params: class { side = 'buy'; after = 0; },
  warmupBars: () => 5,
  create: ({ params: { side, after } }) => ({
    onBar: (bar, trade) => {
      const minute = new Date(bar.timeMs).getUTCMinutes() + 1 - after;
      const [open] = trade.positions();
      if (open && minute % 20 === 11) trade.close(open);
      if (!open && minute % 20 === 1) trade[side]('main', { volume: 0.1 });
    },
  }),
});
`;

describe('daemon compare NAME', () => {
  let gateway: ContractGateway;
  let folder: string;
  let tickets = 900;

  beforeAll(async () => {
    gateway = await ContractGateway.start();
    folder = mkdtempSync(join(tmpdir(), 'compare-live-'));
    for (let minute = -6 * 1_440; minute < 240; minute++) {
      const [open, close] = [bid(minute), bid(minute + 1)];
      const bar = { open, close, high: Math.max(open, close), low: Math.min(open, close), spread: 10, tick_volume: 4 };
      const times = {
        time: at(minute).replace('.000Z', 'Z'),
        time_server: serverMs(minute) / 1_000,
        time_basis: 'utc',
      };
      gateway.bars.push({ ...times, ...bar });
    }
    Object.assign(gateway.tick, { time_utc: at(240), bid: 1.1, ask: 1.1001 });
    Object.assign(gateway.account, { leverage: 100 });
    Object.assign(gateway.symbol, specification);
    writeFileSync(join(folder, 'clock.ts'), strategy);
    const one = {
      name: 'clock',
      module: './clock.ts',
      magic: 41,
      capital: 10_000,
      streams: { main: 'demo:EURUSD@M1' },
    };
    writeFileSync(join(folder, 'every-bar.ts'), everyBar);
    const slow = { ...one, name: 'slow', module: './every-bar.ts', magic: 42, streams: { main: 'demo:EURUSD@H4' } };
    const children = [
      { alias: 'up', weight: 0.5, module: './clock.ts', magic: 51, streams: { main: 'demo:EURUSD@M1' } },
      {
        ...{ alias: 'down', weight: 0.5, module: './clock.ts', magic: 52, streams: { main: 'demo:GBPUSD@M1' } },
        params: { side: 'sell', after: 4 },
      },
    ];
    const document = {
      gateways: { demo: { url: gateway.url, apiKeyEnv: 'COMPARE_KEY' } },
      strategies: [one, slow],
      portfolios: [{ name: 'book', capital: 1_000, risk: { maxDailyLoss: 0.25 }, children }],
    };
    writeFileSync(join(folder, 'daemon.yaml'), JSON.stringify(document));
    process.env['COMPARE_KEY'] = 'k';
  });
  afterAll(async () => {
    delete process.env['COMPARE_KEY'];
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });

  /** A live trade; its fills come some milliseconds after the opens of these minutes. */
  const traded = (
    opened: number,
    closed: number,
    prices: readonly [number, number],
    latencyMs: number,
    magic = 41,
  ): number => {
    const position = ++tickets;
    const deal = (minute: number, entry: number, type: number, price: number, profit: number): void => {
      gateway.deals.push({
        ...{ ticket: ++tickets, order: tickets, time_utc: at(minute, latencyMs), entry, type, price, profit },
        ...{ magic, position_id: position, reason: TradeReason.EXPERT, volume: 0.1, commission: -0.35 },
        ...{ swap: 0, fee: 0, symbol: 'EURUSD', comment: '', client_order_id: null },
      });
    };
    const [entry, exit] = prices;
    deal(opened, DealEntry.IN, DealType.BUY, entry, 0);
    deal(closed, DealEntry.OUT, DealType.SELL, exit, Math.round((exit - entry) * 100_000) / 100);
    return position;
  };
  const compared = (name: string, stateDir: string, ...args: readonly string[]) =>
    printedBy(
      ...['compare', name, '--config', join(folder, 'daemon.yaml'), '--state-dir', join(folder, stateDir)],
      ...['--from', from, '--to', to, ...args],
    );
  const command = (...args: readonly string[]) => compared('clock', 'state', ...args);

  it('divides the difference of the results by causes, to the cent', async () => {
    const position = traded(121, 131, [bid(121) + spread + 0.0003, bid(131)], 800);
    // At the fill of the entry the market was one pip higher, and the fill two pips above that.
    gateway.ticks.push({ time_utc: at(121, 700), bid: bid(121) + 0.0001, ask: bid(121) + spread + 0.0001 });
    gateway.ticks.push({ time_utc: at(131, 700), bid: bid(131), ask: bid(131) + spread });
    const refused: IntentRecord = {
      ...{
        key: 'k1',
        strategy: 'clock',
        broker: 'demo',
        intentId: 'i2',
        stream: 'main',
        symbol: 'EURUSD',
        ticket: null,
      },
      ...{ call: { method: 'POST', path: '/order', body: { type: 'BUY' } }, isEntry: true },
      ...{ createdAtMs: Date.parse(at(141)), state: 'rejected', outcome: 'broker_rejected: NO_MONEY' },
    };
    mkdirSync(join(folder, 'state', 'logs'), { recursive: true });
    writeFileSync(
      join(folder, 'state', 'logs', 'clock.log'),
      `${at(0).replace('Z', '000Z')} INFO running {"version":7}\n${at(161).replace('Z', '000Z')} WARNING an intent was denied {"intent":"i3","reason":"stale_bar","barLateMs":70000}\n`,
    );
    const store = StateStore.open(join(folder, 'state'));
    const tickets = [owned('demo', position)('clock')];
    await store.write({ strategy: blankRecord('clock'), tickets, intents: [refused] });
    await store.close();

    const body = JSON.parse(await command('--json')) as Body;
    expect(body).toMatchObject({ live: { trades: 1, net: -1.1 }, backtest: { trades: 3 } });
    const amounts = Object.fromEntries(body.causes.map(({ cause, amount }) => [cause, amount]));
    const [perTrade = 0] = body.pairs.map(({ backtest }) => backtest.net);
    expect(amounts).toEqual({
      'entry: the market moved before the fill': -0.1,
      'entry: fill against the quote of that moment': -0.2,
      commission: -0.7,
      'only in the backtest: rejected': -perTrade,
      'only in the backtest: late bar': -perTrade,
    });
    expect(body.causes.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(body.difference, 8);
    expect(body.onlyBacktest.map(({ detail }) => detail)).toEqual(['broker_rejected: NO_MONEY', 'stale_bar']);

    const text = await command('--commission', '3.5');
    expect(text).toMatch(/^The backtest ran version 7 of the file as it is now, .* over the gateway's bars\./m);
    expect(text).not.toMatch(/^commission /m);
    expect(text).toMatch(/^1 trades are in both, 0 only live, 2 only in the backtest$/m);
    expect(text).toContain('(late bar: stale_bar)');
  });

  it('names the bars that the strategy did not receive as the gateway has them now', async () => {
    gateway.ticks.length = 0;
    gateway.deals.length = 0;
    const stateDir = join(folder, 'bars-state');
    mkdirSync(join(stateDir, 'logs'), { recursive: true });
    const log = new StrategyLog(join(stateDir, 'logs', 'clock.log'), new VirtualClock(), pino({ level: 'silent' }));
    const handled = new HandledBarLog(log);
    log.info('running', { version: 7 });
    /** @param moved by which the prices were others */
    const received = (first: number, last: number, moved = 0, lateMs = 0): void => {
      for (let minute = first; minute <= last; minute++) {
        const [open, close] = [bid(minute), bid(minute + 1) + moved];
        const prices = { open, close, high: Math.max(open, close), low: Math.min(open, close), tickVolume: 4, lateMs };
        const series = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs: beginMs + minute * minuteMs };
        const times = { serverMs: serverMs(minute), closedMs: serverMs(minute + 1), onArrival: null };
        handled.note('demo:EURUSD@M1', { type: 'bar', warmingUp: false, ...times, bar: { ...series, ...prices } });
      }
      handled.flush();
    };
    received(100, 149);
    received(150, 154, 0, 70_000);
    received(155, 164, 0.00001);
    await log.flushed();

    const body = JSON.parse(await compared('clock', 'bars-state', '--json')) as Body;
    expect(body.notes.at(-1)).toBe(
      'clock received 35 of the 60 bars of demo:EURUSD@M1 as the gateway has them now; ' +
        '10 are of times in which a bar was another one (2024-01-02 02:35 to 2024-01-02 02:44), 15 are not on record, 5 came late.',
    );
    expect(body.causes.map(({ cause, trades }) => [cause, trades])).toEqual([
      ['only in the backtest: other bars', 1],
      ['only in the backtest: not explained', 2],
    ]);
    expect(body.onlyBacktest.map(({ detail }) => detail)).toEqual([
      null,
      null,
      'demo:EURUSD@M1, 2024-01-02 02:35 to 2024-01-02 02:44',
    ]);
    expect(await compared('clock', 'bars-state')).toContain('clock received 35 of the 60 bars');
  });

  it('runs a portfolio as a whole, under its shared limits, and explains each of its strategies', async () => {
    gateway.ticks.length = 0;
    gateway.deals.length = 0;
    for (const opened of [121, 141, 161]) traded(opened, opened + 10, [bid(opened) + spread, bid(opened)], 800, 51);
    const stateDir = join(folder, 'book-state');
    mkdirSync(join(stateDir, 'logs'), { recursive: true });
    writeFileSync(
      join(stateDir, 'logs', 'book~down.log'),
      `${at(0).replace('Z', '000Z')} ERROR halted {"kind":"persistent","reason":"by the operator","atMs":0}\n`,
    );
    const ofTheOther: IntentRecord = {
      ...{ key: 'k1', strategy: 'book/up', broker: 'demo', intentId: 'i1', stream: 'main', symbol: 'GBPUSD' },
      ...{ ticket: null, call: { method: 'POST', path: '/order', body: { type: 'SELL' } }, isEntry: true },
      ...{ createdAtMs: Date.parse(at(125)), state: 'rejected', outcome: 'broker_rejected: NO_MONEY' },
    };
    const store = StateStore.open(stateDir);
    await store.write({ strategy: blankRecord('book/up'), tickets: [], intents: [ofTheOther] });
    await store.close();

    const body = JSON.parse(await compared('book', 'book-state', '--json')) as Body;
    const limit = 'halted: portfolio book: daily loss of 0.30 reached maxDailyLoss 0.25';
    expect(body.strategies).toEqual([
      {
        ...{ name: 'book/up', live: { trades: 3, net: -2.4 }, backtest: { trades: 2, net: -0.2 }, difference: -2.2 },
        causes: [
          { cause: 'commission', trades: 2, amount: -1.4 },
          { cause: 'only live: the backtest denied it', trades: 1, amount: -0.8 },
        ],
      },
      {
        ...{ name: 'book/down', live: { trades: 0, net: 0 }, backtest: { trades: 1, net: -0.1 }, difference: 0.1 },
        causes: [{ cause: 'only in the backtest: halted', trades: 1, amount: 0.1 }],
      },
    ]);
    expect(body).toMatchObject({
      live: { trades: 3, net: -2.4 },
      backtest: { trades: 3, net: -0.3 },
      difference: -2.1,
    });
    expect(body.causes.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(-2.1, 8);
    expect(body.onlyLive.map(({ detail }) => detail)).toEqual([limit]);

    const text = await compared('book', 'book-state');
    expect(text).toContain('The backtest halted the portfolio at 2024-01-02 02:21: daily loss of 0.30 reached');
    expect(text).toMatch(/^book\/up +3 +-2\.40 +2 +-0\.20 +-2\.20$/m);
    expect(text).toMatch(/^book\/down +only in the backtest: halted +1 +0\.10$/m);
    expect(text).toMatch(/^ {2}2024-01-02 02:41 book\/up buy EURUSD, /m);
  });

  it("makes long bars by the broker's clock", async () => {
    gateway.ticks.length = 0;
    gateway.deals.length = 0;
    const days = [
      '--state-dir',
      join(folder, 'none'),
      '--from',
      '2024-01-02T02:30',
      '--to',
      '2024-01-02T03:30',
      '--json',
    ];
    const slow = async () => {
      const text = await printedBy('compare', 'slow', '--config', join(folder, 'daemon.yaml'), ...days);
      return JSON.parse(text) as Body;
    };
    // An hour ahead of UTC, its bars of four hours close at 03:00 UTC; on Athens time, at 02:00 and 06:00.
    Object.assign(gateway.tick, { time_msc: Date.parse(at(240)) + 3_600_000 });
    const ahead = await slow();
    expect(ahead.notes[0]).toContain('Its broker: on Etc/GMT-1 time; ');
    expect(ahead.backtest.trades).toBe(1);
    Object.assign(gateway.tick, { time_msc: 0 });
    const unknown = await slow();
    expect(unknown.notes[0]).toContain('on Europe/Athens time, because that of the gateway is not known');
    expect(unknown.backtest.trades).toBe(0);
  });

  it('is refused for what a backtest cannot replay', async () => {
    await expect(command('--ticks', '--nonsense')).rejects.toThrow('unknown flag --nonsense');
    gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    await expect(command()).rejects.toThrow('away');
  });
});

/** Buys with the first bar. */
const everyBar = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 1,
  params: class {},
  create: () => ({ onBar: (bar, trade) => void (trade.position('main') ?? trade.buy('main', { volume: 0.1 })) }),
});
`;

interface Body {
  readonly notes: readonly string[];
  readonly backtest: { readonly trades: number };
  readonly difference: number;
  readonly causes: readonly { readonly cause: string; readonly trades: number; readonly amount: number }[];
  readonly pairs: readonly { readonly backtest: { readonly net: number } }[];
  readonly onlyBacktest: readonly { readonly detail: string | null }[];
  readonly onlyLive: readonly { readonly detail: string | null }[];
  readonly strategies: readonly object[];
}

/** What the simulated broker needs of a symbol: a tenth of the usual contract. */
const specification = {
  ...{ currency_base: 'EUR', currency_profit: 'USD', currency_margin: 'EUR', trade_calc_mode: 0, trade_mode: 4 },
  ...{ trade_exemode: 2, filling_mode: 3, expiration_mode: 15, order_mode: 127, order_gtc_mode: 0, swap_mode: 1 },
  ...{
    swap_rollover3days: 3,
    margin_hedged: 10_000,
    trade_contract_size: 10_000,
    trade_tick_value: 0.1,
    spread: 10,
    trade_stops_level: 0,
  },
};
