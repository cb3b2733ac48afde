import { SystemClock } from '@libs/clock';
import { type Flags, table, UsageError } from '@libs/command-line';
import { AccountMarginMode } from '@libs/trade-constants';
import { assumptionsText } from '../backtest/broker-terms';
import { shown } from '../backtest/period';
import { finestOf } from '../core/stream-order';
import { timeframeMs } from '../core/timeframe';
import { ofBacktest, ofLive, type ComparedTrade } from '../live-report/compared-trade';
import { readFillQuotes } from '../live-report/fill-quotes';
import { compareWithBacktest, type LiveComparison, type LoneTrade } from '../live-report/live-comparison';
import type { LiveHistory } from '../live-report/live-history';
import { goesByClock } from '../live-report/live-period';
import { sourceLines, spanText } from '../live-report/live-source';
import { liveTrades } from '../live-report/live-trade';
import { RecordedEvidence } from '../live-report/recorded-evidence';
import { replayDays, type ReplayedDays } from '../live-report/replayed-days';
import { strategyLines } from '../live-report/strategy-lines';
import { marketTerms } from './backtest-order';
import type { compareLiveFlags } from './live-flags';
import { stateDirOf } from './control-client';
import { historyOf, liveOrder } from './live-order';
import { progressBar } from './progress-bar';

/** Trades that the table lists of each kind; JSON has all. */
const mostListed = 10;
const shortestToleranceMs = 60_000;

/** `daemon compare NAME`: what a live strategy did beside a backtest of the same days. */
export async function compareLive(flags: Flags<typeof compareLiveFlags>, words: readonly string[]): Promise<void> {
  const order = liveOrder('compare', flags, words);
  const [spec] = order.subject.strategies;
  if (order.subject.isPortfolio || !spec)
    throw new UsageError('compare takes one strategy: name a child of the portfolio');
  const brokers = new Set(spec.streams.map(({ broker }) => broker));
  if (brokers.size > 1)
    throw new UsageError('compare cannot replay a strategy on several gateways: a backtest has one');
  const { broker, latencyMs } = marketTerms(flags);
  const history = await historyOf({ ...order, period: { ...order.period, days: flags.days ?? 5 } }, flags);
  const account = history.accounts.find(({ session }) => brokers.has(session.name));
  if (!account) throw new UsageError(`the gateway of ${spec.name} is not configured`);
  const kind = flags.ticks ? 'ticks' : 'bars';
  const run = { spec, account, span: history.span, kind, broker, latencyMs, env: process.env } as const;
  const replayed = await replayDays({ ...run, onProgress: progressBar(process.stderr) });
  const toleranceMs = Math.max(shortestToleranceMs, timeframeMs(finestOf(spec.streams)?.timeframe ?? 'M1') ?? 0);
  const live = liveTrades(history.positions).map((trade) => ofLive(trade));
  const quotes = await readFillQuotes(account.session.client.reads, live);
  const evidence = await evidenceOf(history, stateDirOf(flags), toleranceMs);
  const comparison = compareWithBacktest(live, ofBacktest(replayed.result), {
    ...{ fromMs: history.span.fromMs, toleranceMs },
    evidence: (missing) => evidence?.of(missing) ?? null,
    pairFacts: (trade) => ({ ...quotes(trade), worth: worthIn(replayed, trade) }),
  });
  const notes = notesOf(history, replayed, kind, evidence !== null);
  const body = { name: spec.name, from: iso(history.span.fromMs), to: iso(history.span.toMs), notes, ...comparison };
  process.stdout.write(`${flags.json ? JSON.stringify(body, null, 2) : comparisonText(history, notes, comparison)}\n`);
}

/** What the daemon has on record; null where its clock is not that of the market, so that nothing can be matched by time. */
async function evidenceOf(
  { subject, stored, span }: LiveHistory,
  stateDir: string,
  toleranceMs: number,
): Promise<RecordedEvidence | null> {
  if (!goesByClock(span, new SystemClock().nowMs())) return null;
  return new RecordedEvidence(await strategyLines(stateDir, subject.name), stored.intents, toleranceMs);
}

/** What a change of the price by 1 is worth for one lot now. */
function worthIn({ symbols: records }: ReplayedDays, { symbol }: ComparedTrade): number {
  const record = records.find(({ name }) => name === symbol);
  return record && record.trade_tick_size > 0 ? record.trade_tick_value / record.trade_tick_size : 0;
}

function notesOf(
  { span, accounts }: LiveHistory,
  { result }: ReplayedDays,
  kind: 'bars' | 'ticks',
  hasEvidence: boolean,
): readonly string[] {
  const faults = Object.entries(result.faults).map(
    ([symbol, { crossed, skipped }]) => `${crossed + skipped} of ${symbol}`,
  );
  const isHedging = accounts.every(({ account }) => account.margin_mode === AccountMarginMode.RETAIL_HEDGING);
  return [
    `The backtest ran version ${result.version} of the file as it is now, from a flat start, over the gateway's ${kind}. Its broker: ${assumptionsText(result.assumptions)}.`,
    ...(kind === 'bars'
      ? ['Bars have one spread a minute, and fills at their opens; --ticks replays every quote.']
      : []),
    ...(hasEvidence
      ? []
      : ["The market does not go by the daemon's clock, so its log and its records cannot be matched with entries."]),
    ...(faults.length > 0 ? [`Faulty prices were accepted: ${faults.join(', ')}.`] : []),
    ...(isHedging ? [] : ['The account is a netting account; the backtest has a hedging account.']),
    ...(span.isUntilNow ? [] : ['What was open at the end of the period counts with its booked result alone.']),
  ];
}

function comparisonText(history: LiveHistory, notes: readonly string[], comparison: LiveComparison): string {
  const { live, backtest, difference, causes, pairs, onlyLive, onlyBacktest } = comparison;
  const total = ['sum', '', money(difference)];
  return [
    [`${history.subject.name}, ${spanText(history.span)}`, ...sourceLines(history, liveTrades(history.positions))].join(
      '\n',
    ),
    notes.join('\n'),
    table(
      ['', 'TRADES', 'NET RESULT'],
      [
        ['live', live.trades, money(live.net)],
        ['backtest', backtest.trades, money(backtest.net)],
        ['difference', '', money(difference)],
      ],
    ),
    table(
      ['CAUSE OF THE DIFFERENCE', 'TRADES', 'AMOUNT'],
      [...causes.map(({ cause, trades, amount }) => [cause, trades, money(amount)]), total],
    ),
    `${pairs.length} trades are in both, ${onlyLive.length} only live, ${onlyBacktest.length} only in the backtest`,
    ...listed('only live', onlyLive),
    ...listed('only in the backtest', onlyBacktest),
  ].join('\n\n');
}

function listed(title: string, trades: readonly LoneTrade[]): readonly string[] {
  if (trades.length === 0) return [];
  const lines = trades.slice(0, mostListed).map(({ trade, cause, detail }) => {
    const { openedMs, side, symbol, volume, entryPrice, net } = trade;
    const why = detail === null ? cause : `${cause}: ${detail}`;
    return `  ${shown(openedMs)} ${side} ${symbol}, ${volume} lots at ${entryPrice}, ${money(net)} (${why})`;
  });
  const more = trades.length > mostListed ? [`  and ${trades.length - mostListed} more`] : [];
  return [[`${title}:`, ...lines, ...more].join('\n')];
}

function money(amount: number): string {
  return amount.toFixed(2).replace(/^-0\.00$/, '0.00');
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
