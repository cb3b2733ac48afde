import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Retcode } from '@libs/terminal-client';
import type { StrategySpec } from '../core/strategy-spec';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'exit-retry-'));
const startMs = Date.UTC(2024, 0, 9, 12);
const minuteMs = 60_000;
/** The market closes at 12:03, with the bar that is the strategy's third. */
const closesMs = startMs + 3 * minuteMs;
/** One price a minute, at its first instant; the bid by minute. */
const prices = (bidAt: (minute: number) => number): string[] => [
  writeTicks(
    join(mkdtempSync(join(folder, 'prices-')), 'eurusd.csv'),
    Array.from({ length: 30 }, (_, minute) => {
      const bid = bidAt(minute);
      return [startMs + minute * minuteMs, bid, bid + 0.0001] as const;
    }),
  ),
];
const still = prices(() => 1.1);

/** Settings of a broker that closes its market for some minutes at 12:03. */
function withBreak(minutes: number): Record<string, string> {
  const [from, to] = [723, 723 + minutes];
  const sessions = [
    { day: 2, from: 0, to: from },
    { day: 2, from: to, to: 1_440 },
  ];
  return { SIM_HOURS: 'market', ...symbols({ market: { schedule: { zone: 'UTC', sessions } } }) };
}

function symbols(changes: object): Record<string, string> {
  const path = join(mkdtempSync(join(folder, 'symbols-')), 'symbols.json');
  writeFileSync(path, JSON.stringify({ symbols: [{ name: 'EURUSD', ...changes }] }));
  return { SIM_SYMBOLS: path };
}

/** What the strategy receives, each with the milliseconds since the market closed. */
const heard = `
  onFill(fill, trade) { trade.log('fill ' + fill.entry + ' ' + fill.volume + ' in flight ' + trade.inFlight); },
  onReject(reject, trade) { trade.log(reject.kind + ' ' + reject.reason.replace(/\\d{6,}/, '#')); },
  onOrderGone(gone, trade) { trade.log(gone.kind); }`;

function run(
  onBar: string,
  broker: Record<string, string>,
  { files = still, ...changes }: Partial<StrategySpec> & { readonly files?: string[] } = {},
) {
  return runHandlers(
    `onBar(bar, trade) { n++; ${onBar} }, ${heard}`,
    { files, broker },
    { streams: streamsOf({ main: 'EURUSD@M1' }), capital: 10_000, ...changes },
  );
}
const timed = ({ logs }: Awaited<ReturnType<typeof run>>) =>
  logs.map(({ message, timeMs }) => [message, timeMs - closesMs]);

describe('an exit that the broker of a backtest refuses', () => {
  it('for a reason that passes is sent again, until the broker executes it', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 3) trade.close(trade.position('main'));
       if (n === 4) trade.log('in flight ' + trade.inFlight);`,
      withBreak(1),
    );
    // Tries at 0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5 and 60.5 s after the close of the market, which reopens after 60 s.
    expect(timed(result)).toEqual([
      ['fill in 0.1 in flight 0', -2 * minuteMs],
      ['in flight 1', minuteMs],
      ['fill out 0.1 in flight 0', 60_500],
    ]);
    expect(result.rejects).toEqual([]);
    expect(result.fills[1]?.timeMs).toBe(closesMs + 60_500);
    expect(result.fills[1]?.intentId).not.toBeNull();
  });

  it('for too long is rejected after the last retry, and not before', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 3) trade.close(trade.position('main'));`,
      withBreak(5),
    );
    expect(timed(result).slice(1)).toEqual([
      [
        'rejected broker_rejected: the broker rejected the request: MARKET_CLOSED: the market of the symbol is closed; the terminal does not state when it opens, so try again when its quotes move',
        240_500,
      ],
    ]);
    expect(result.rejects).toMatchObject([{ kind: 'rejected', retcode: Retcode.MARKET_CLOSED }]);
    expect(result.unrealized).not.toBe(0);
  });

  it('is in flight until then: entries and partial closes are denied', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 3) trade.close(trade.position('main'));
       if (n === 4) { trade.buy('main', { volume: 0.1 }); trade.closePart(trade.position('main'), 0.05); }`,
      withBreak(2),
    );
    expect(timed(result).slice(1)).toEqual([
      ['denied the outcome of an earlier request is unknown', minuteMs],
      ['denied an earlier close of position # is still in flight', minuteMs],
      ['fill out 0.1 in flight 0', 120_500],
    ]);
  });

  it('is not sent again once a newer exit supersedes it', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 3) trade.closePart(trade.position('main'), 0.05);
       if (n === 4) trade.close(trade.position('main'));`,
      withBreak(2),
    );
    expect(timed(result).slice(1)).toEqual([
      [
        'rejected broker_rejected: the broker rejected the request: MARKET_CLOSED: the market of the symbol is closed; the terminal does not state when it opens, so try again when its quotes move',
        60_500,
      ],
      ['fill out 0.1 in flight 0', 120_500],
    ]);
  });

  it('for a reason that does not pass is rejected at once', async () => {
    const result = await run(
      `if (n === 1) trade.buy('main', { volume: 0.1 });
       if (n === 3) trade.closePart(trade.position('main'), 0.2);`,
      withBreak(1),
    );
    expect(timed(result).slice(1)).toEqual([
      ["rejected validation_error: position.volume: must be at most the position's 0.1 (it is 0.2)", 0],
    ]);
  });

  it('is never an entry', async () => {
    const result = await run(`if (n === 3) trade.buy('main', { volume: 0.1 });`, withBreak(1));
    expect(timed(result)).toEqual([
      [
        'rejected broker_rejected: the broker rejected the request: MARKET_CLOSED: the market of the symbol is closed; the terminal does not state when it opens, so try again when its quotes move',
        0,
      ],
    ]);
    expect(result.fills).toEqual([]);
  });

  it('at a halt is the cancellation of a pending order, which is in flight once', async () => {
    // The price falls to 10 points above the order at 12:05, where the broker has it frozen, and rises at 12:06.
    const files = prices((minute) => (minute === 3 ? 1.09 : 1.1));
    const result = await run(
      `if (n === 1) {
         trade.buy('main', { volume: 1 });
         trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.09 });
       }`,
      symbols({ trade_freeze_level: 50 }),
      { files, risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: 5 } },
    );
    expect(result.haltReason).toContain('reached maxDrawdownPct 5');
    expect(timed(result).slice(1)).toEqual([['cancelled', 60_500]]);
    expect(said(result)).not.toContain('rejected');
    expect(result.rejects).toEqual([]);
  });
});
