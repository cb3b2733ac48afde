import { SystemClock } from '@libs/clock';
import { type Flags, UsageError } from '@libs/command-line';
import { compareDays, type ComparedStrategy } from '../live-report/compared-days';
import { comparisonNotes, hasUnrecorded, receivedNotes } from '../live-report/comparison-notes';
import { comparisonTable } from '../live-report/comparison-table';
import { goesByClock } from '../live-report/live-period';
import { readDigits } from '../live-report/live-symbols';
import type { LiveSubject } from '../live-report/live-subject';
import { readReceivedDays, type BarRange, type ReceivedDays } from '../live-report/received-bars';
import { replayDays } from '../live-report/replayed-days';
import { readDaemonSettings } from '../daemon.config';
import { marketTerms } from './backtest-arguments';
import type { commands, Kinds } from './commands';
import { stateDirOf } from './control-client';
import { historyOf, liveArguments } from './live-arguments';
import { progressBar } from './progress-bar';

/** `daemon compare NAME`: what a live strategy or portfolio did beside a backtest of the same days. */
export async function compareLive(
  flags: Flags<Kinds<(typeof commands)['compare']['flags']>>,
  words: readonly string[],
): Promise<void> {
  const given = liveArguments('compare', flags, words);
  const { name, isPortfolio, strategies, capital, risk } = given.subject;
  const gateway = gatewayOf(given.subject);
  const { broker, latencyMs } = marketTerms(flags);
  const history = await historyOf({ ...given, period: { ...given.period, days: flags.days ?? 5 } }, flags);
  const account = history.accounts.find(({ session }) => session.name === gateway);
  if (!account) throw new UsageError(`the gateway of ${name} is not configured`);
  const { span } = history;
  const kind = flags.ticks ? 'ticks' : 'bars';
  const stateDir = goesByClock(span, new SystemClock().nowMs()) ? stateDirOf(flags) : null;
  const received: ReceivedDays[] = [];
  for (const spec of strategies) {
    received.push(await readReceivedDays(account.session.client.reads, spec, stateDir, span));
  }
  const replayed = await replayDays({
    portfolio: { name, capital, risk, children: strategies.map((spec) => spec.name) },
    strategies,
    account,
    span,
    received,
    kind,
    broker,
    latencyMs,
    env: process.env,
    onProgress: progressBar(process.stderr),
  });
  const compared = await compareDays(history, replayed, account, stateDir);
  const notes = [...comparisonNotes(history, replayed, kind, stateDir !== null), ...barNotes(received)];
  const parts = isPortfolio ? { strategies: compared.strategies.map(sumsOf) } : {};
  const body = {
    name,
    from: iso(span.fromMs),
    to: iso(span.toMs),
    notes,
    ...compared.whole,
    ...parts,
    bars: received.map(barsOf),
  };
  if (flags.json) return void process.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
  const digits = await readDigits(history);
  const table = comparisonTable(history, notes, compared, (symbol) =>
    digits({ gateway: account.session.name, symbol }),
  );
  process.stdout.write(`${table}\n`);
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

/** Where the bars came from that the strategies received in the backtest. */
function barNotes(received: readonly ReceivedDays[]): readonly string[] {
  const isFleet = readDaemonSettings().DAEMON_DATABASE_URL !== undefined;
  return [
    ...received.flatMap(receivedNotes),
    ...(isFleet && received.some(hasUnrecorded)
      ? ['Bars that a strategy received on another host of the fleet are on record there.']
      : []),
  ];
}

/** As JSON, with times in UTC. */
function barsOf({ name, sources, damaged }: ReceivedDays) {
  const rangesOf = (ranges: readonly BarRange[]) =>
    ranges.map(({ fromMs, toMs, bars }) => ({ from: iso(fromMs), to: iso(toMs), bars }));
  const streams = sources.map(({ stream, received, gateway, changed, removed, notReceived, late }) => ({
    stream,
    received: rangesOf(received),
    gateway: rangesOf(gateway),
    changed: rangesOf(changed),
    removed: rangesOf(removed),
    notReceived: rangesOf(notReceived),
    late,
  }));
  return { name, streams, damaged };
}

/** The sums of a strategy; its trades are among those of the whole. */
function sumsOf({ name, live, backtest, difference, causes }: ComparedStrategy) {
  return { name, live, backtest, difference, causes };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
