import { sinceDeployment } from './deployed-span';
import type { LiveHistory } from './live-history';

const nowMs = Date.UTC(2026, 0, 31, 12);
const dayMs = 86_400_000;
const history = {
  ...{ positions: [], lostGateways: [], lacking: [], accounts: [] },
  subject: {
    name: 'a',
    isPortfolio: false,
    capital: 1_000,
    strategies: [],
    gateways: [],
    risk: { maxDailyLoss: null, maxDrawdownPct: null },
  },
  stored: { from: 'daemon', records: [], tickets: [], intents: [] },
  span: { fromMs: nowMs - 30 * dayMs, toMs: nowMs, isUntilNow: true },
} satisfies LiveHistory;
const log = (line: string, isWhole = true) => ({ lines: [line], isWhole });
const today = '2026-01-31T11:22:00.000001Z INFO running {"version":1}';
const fromOf = (logs: Parameters<typeof sinceDeployment>[1], clockMs = nowMs) =>
  sinceDeployment(history, logs, clockMs).span.fromMs;

describe('the period of a strategy that is younger than it', () => {
  it('begins with its deployment', () => {
    expect(fromOf([log(today)])).toBe(Date.UTC(2026, 0, 31, 11, 22));
    expect(fromOf([log(today), log('2026-01-30T10:00:00.000000Z INFO running')])).toBe(Date.UTC(2026, 0, 30, 10));
  });

  it.each([
    ['the log has lost its first lines', [log(today, false)]],
    ['a strategy has no log', [log(today), { lines: [], isWhole: false }]],
    ['the deployment was before it', [log('2025-11-01T10:00:00.000000Z INFO running')]],
  ])('is as asked for if %s', (_what, logs) => {
    expect(fromOf(logs)).toBe(history.span.fromMs);
  });

  it('is as asked for in a replayed market, whose times are not those of the log', () => {
    expect(fromOf([log(today)], nowMs + 400 * dayMs)).toBe(history.span.fromMs);
  });
});
