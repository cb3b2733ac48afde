import { type Flags, UsageError } from '@libs/command-line';
import { compareDays, type ComparedStrategy } from '../live-report/compared-days';
import { comparisonNotes } from '../live-report/comparison-notes';
import { comparisonTable } from '../live-report/comparison-table';
import type { LiveSubject } from '../live-report/live-subject';
import { replayDays } from '../live-report/replayed-days';
import { marketTerms } from './backtest-order';
import type { compareLiveFlags } from './live-flags';
import { stateDirOf } from './control-client';
import { historyOf, liveOrder } from './live-order';
import { progressBar } from './progress-bar';

/** `daemon compare NAME`: what a live strategy or portfolio did beside a backtest of the same days. */
export async function compareLive(flags: Flags<typeof compareLiveFlags>, words: readonly string[]): Promise<void> {
  const order = liveOrder('compare', flags, words);
  const { name, isPortfolio, strategies, capital, risk } = order.subject;
  const gateway = gatewayOf(order.subject);
  const { broker, latencyMs } = marketTerms(flags);
  const history = await historyOf({ ...order, period: { ...order.period, days: flags.days ?? 5 } }, flags);
  const account = history.accounts.find(({ session }) => session.name === gateway);
  if (!account) throw new UsageError(`the gateway of ${name} is not configured`);
  const { span } = history;
  const kind = flags.ticks ? 'ticks' : 'bars';
  const replayed = await replayDays({
    portfolio: { name, capital, risk, children: strategies.map((spec) => spec.name) },
    ...{ strategies, account, span, kind, broker, latencyMs, env: process.env },
    onProgress: progressBar(process.stderr),
  });
  const compared = await compareDays(history, replayed, account, stateDirOf(flags));
  const notes = [...comparisonNotes(history, replayed, kind, compared.hasRecords), ...compared.barNotes];
  const parts = isPortfolio ? { strategies: compared.strategies.map(sumsOf) } : {};
  const body = { name, from: iso(span.fromMs), to: iso(span.toMs), notes, ...compared.whole, ...parts };
  process.stdout.write(`${flags.json ? JSON.stringify(body, null, 2) : comparisonTable(history, notes, compared)}\n`);
}

/** The one gateway of all strategies. @throws UsageError */
function gatewayOf({ isPortfolio, strategies }: LiveSubject): string | undefined {
  const gateways = new Set(strategies.flatMap(({ streams }) => streams.map(({ broker }) => broker)));
  if (gateways.size < 2) return [...gateways][0];
  throw new UsageError(
    isPortfolio
      ? 'compare cannot replay a portfolio on several gateways: a backtest has one account; compare its children'
      : 'compare cannot replay a strategy on several gateways: a backtest has one',
  );
}

/** The sums of a strategy; its trades are among those of the whole. */
function sumsOf({ name, live, backtest, difference, causes }: ComparedStrategy) {
  return { name, live, backtest, difference, causes };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
