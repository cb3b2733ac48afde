import { GatewaySession } from '../gateways/gateway-session';
import type { IntentRecord } from '../core/records';
import { spec } from '../core/testing/spec';
import { liveReportOf } from './live-report';
import { tradeOrders } from '../backtest/trade-order';
import { livePage } from './live-page';
import { liveTable } from './live-table';
import type { LiveHistory } from './live-history';
import type { LiveFill, LivePosition } from './live-position';
import type { PricedSymbol } from './live-equity';

const minute = (value: number) => Date.UTC(2026, 0, 5, 10, value);
const nowMs = minute(62);
const span = { fromMs: minute(0), toMs: minute(60), isUntilNow: true };
const fill = (at: number, entry: LiveFill['entry'], price: number, realized: number): LiveFill => ({
  ...{
    intentId: null,
    tag: null,
    deal: at,
    position: 7,
    stream: 'main',
    symbol: 'EURUSD',
    side: 'buy',
    entry,
    reason: 'tp',
  },
  ...{ volume: 0.1, price, realized, timeMs: minute(at), commission: -0.35, swap: 0, fee: 0 },
});
const position = (gateway: string, fills: readonly LiveFill[], more: Partial<LivePosition> = {}): LivePosition => ({
  ...{ strategy: 'book/a', knownBy: 'records', stream: 'main', intentId: null, gateway, ticket: 7 },
  ...{ symbol: 'EURUSD', fills, row: null, ...more },
});
const intent = (createdAtMs: number, state: IntentRecord['state']): IntentRecord => ({
  ...{ key: `k${createdAtMs}`, strategy: 'book/a', broker: 'demo', intentId: 'i', stream: 'eur', symbol: 'EURUSD' },
  ...{ ticket: null, call: { method: 'POST', path: '/order', body: {} }, isEntry: true, createdAtMs, state },
  outcome: 'NO_MONEY: not enough money',
});
const account = { login: 7, server: 'Broker-Live', currency: 'USD', trade_mode: 2, leverage: 100, margin_mode: 2 };
const read = (name: string) => {
  const expect = { login: null, tradeMode: null };
  const session = new GatewaySession(
    { name, url: 'http://gateway', apiKeyEnv: 'K', maxClockSkewMs: null, expect },
    'k',
  );
  return { session, account };
};
const streams = [{ alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }];
const child = (alias: string) => ({ ...spec, name: `book/${alias}`, portfolio: 'book', streams });
const history = (positions: readonly LivePosition[], more: Partial<LiveHistory> = {}): LiveHistory => ({
  subject: {
    ...{ name: 'book', isPortfolio: true, capital: 1_000, strategies: [child('a'), child('b')], gateways: [] },
    risk: { maxDailyLoss: null, maxDrawdownPct: null },
  },
  stored: { from: 'daemon', records: [], tickets: [], intents: [intent(minute(30), 'rejected')] },
  ...{ span, accounts: [read('demo'), read('live')], positions, lostGateways: [], lacking: [], ...more },
});
const symbols: readonly PricedSymbol[] = ['demo', 'live'].map((gateway) => ({
  ...{ gateway, symbol: 'EURUSD', barMs: 60_000, tickSize: 0.00001, tickValue: 1 },
  bars: Array.from({ length: 60 }, (_, index) => {
    return { openMs: minute(index), open: 1.1, high: 1.103, low: 1.098, close: 1.101, spread: 0 };
  }),
}));

describe('the report of a live strategy', () => {
  // Two gateways give the same ticket to two positions.
  const positions = [
    position('demo', [fill(1, 'in', 1.1, -0.35), fill(10, 'out', 1.102, 19.65)]),
    position('live', [fill(2, 'in', 1.1, -0.35), fill(20, 'out', 1.099, -10.35)], { strategy: 'book/b' }),
    position('live', [fill(30, 'in', 1.1, -0.35)], { ticket: 8, knownBy: 'magic' }),
  ];
  const { report, columns } = liveReportOf(history(positions), symbols, 'M1', nowMs);

  it('has the figures of a backtest', () => {
    expect(report.figures).toMatchObject({
      ...{ startEquity: 1_000, netProfit: 8.25, openProfit: 10, endEquity: 1018.25, trades: 2, open: 1, rejects: 1 },
      ...{ commission: -1.75, spreadPaid: null, grossProfit: 19.3, grossLoss: -10.7 },
    });
    expect(report.trades).toMatchObject([
      { position: 7, strategy: 'book/a', realized: 19.3, excursion: { mae: 0.002, mfe: 0.003 } },
      { position: 7, strategy: 'book/b', realized: -10.7 },
    ]);
    expect(report.open).toMatchObject([{ position: 8, knownBy: 'magic' }]);
    expect(columns.equity.at(-1)).toEqual([minute(60), 1018.25]);
    // Each child alone, on the capital of the portfolio.
    expect(columns.strategies.map(({ name, equity }) => [name, equity.at(-1)?.[1]])).toEqual([
      ['book/a', 1028.95],
      ['book/b', 989.3],
    ]);
  });

  it('has curves to the end of the period, with deals after the last closed bar', () => {
    const late = [position('demo', [fill(1, 'in', 1.1, -0.35), fill(61, 'out', 1.093, -67.97)])];
    const made = liveReportOf(history(late, { span: { ...span, toMs: minute(62) } }), symbols, 'M1', nowMs);
    const end = [minute(62), made.report.figures.endEquity];
    expect(made.report.figures.endEquity).toBe(931.68);
    expect(made.columns.equity.at(-1)).toEqual(end);
    expect(made.columns.strategies.map(({ equity }) => equity.at(-1))).toEqual([end, [minute(62), 1_000]]);
  });

  it('states what it is made from and what it cannot know', async () => {
    const text = liveTable(report);
    expect(text).toMatch(
      /account 7 on Broker-Live \(real, USD\) by gateway demo and account 7 .*, and records of the daemon\./,
    );
    expect(text).toContain('2026-01-05 10:00 to 2026-01-05 11:00 UTC, 60 M1 bars; read at 2026-01-05 11:02 UTC.');
    expect(text).toContain('1 of 3 trades is known only by its magic.');
    expect(text).toMatch(/^spread, in the prices +–$/m);
    expect(text).toMatch(/^1 +rejected +NO_MONEY: not enough money$/m);
    const page = await livePage(report, columns);
    expect(page).toContain('Between deals the equity is reconstructed from the closes of M1 bars');
    expect(page).toContain('<h2>Open at the end</h2>');
    expect(page).toContain('"strategies":["book/a","book/b"]');
    // The lines of the children have the colours of the marks beside their names.
    expect(page).toMatch(/--strategy-1:#[^]*var\(--strategy-1\)">■<\/span> book\/b: /);
  });

  it('has other orders of the trades in table and page, where they were drawn', async () => {
    const monteCarlo = tradeOrders([40, -30, 20], 1_000, { runs: 9, seed: 4, drawdownsPct: [2.5] });
    expect(liveTable({ ...report, monteCarlo })).toMatch(
      /^OTHER ORDERS OF THE TRADES +AS TRADED +5 % +MEDIAN +95 % +99 %$/m,
    );
    expect(liveTable({ ...report, monteCarlo })).toMatch(/^max drawdown +30\.00 +30\.00 /m);
    const page = await livePage({ ...report, monteCarlo }, columns);
    expect(page).toContain('<h2>Other orders of the trades</h2>');
    expect(page).toMatch(/<p>\d+\.\d\d % of the orders have a drawdown above 2\.5 %\.<\/p>/);
    expect(page).toContain('9 orders of the 3 closed trades, drawn by seed 4.');
    expect(liveTable({ ...report, monteCarlo: null })).toContain('none, for fewer than two trades were closed');
    expect(liveTable(report)).not.toMatch(/other orders/i);
  });

  it('names symbols without bars, an earlier end, and gateways and records that are missing', () => {
    const earlier = { ...span, isUntilNow: false };
    const stored = { ...history([]).stored, from: 'none' } as const;
    const of = history(positions, { span: earlier, lostGateways: ['old'], stored });
    const { unknown } = liveReportOf(of, [], 'M1', nowMs).report.live;
    expect(unknown).toEqual(
      expect.arrayContaining([
        'The floating result at the end is reconstructed from bars as well.',
        'What was traded through old is missing: it is no longer configured.',
        'The state directory has no state: rejects and halts are not known.',
      ]),
    );
    const bare = liveReportOf(history(positions), [{ ...symbols[0], bars: [] } as PricedSymbol], 'M1', nowMs);
    expect(bare.report.live.unknown).toContain(
      'The gateway has no bars of demo:EURUSD: their floating result is not known.',
    );
  });

  it('counts the refused requests of the period by the clock of the daemon', () => {
    const intents = [intent(minute(-1), 'rejected'), intent(minute(3), 'blocked'), intent(minute(4), 'done')];
    const of = history([], { stored: { ...history([]).stored, intents } });
    const rejects = (atMs: number) => liveReportOf(of, symbols, 'M1', atMs).report.rejects.map(({ kind }) => kind);
    expect(rejects(nowMs)).toEqual(['blocked']);
    // A replay of some years ago.
    const ahead = 365 * 86_400_000;
    expect(rejects(nowMs + ahead)).toEqual([]);
  });
});
