import { AccountMarginMode } from '@libs/trade-constants';
import { countText } from '@libs/gateway-client/figure-text';
import { assumptionsText } from '../backtest/broker-terms';
import { shown } from '../backtest/period';
import type { PortfolioResult, StrategyRun } from '../backtest/portfolio-result';
import type { LiveHistory } from './live-history';
import type { ReplayedDays } from './replayed-days';
import type { BarRange, ReceivedDays, StreamSources } from './received-bars';

/** What a comparison of a live strategy or portfolio with a backtest rests on, a sentence each. */
export function comparisonNotes(
  { subject, span, accounts }: LiveHistory,
  { result, zone }: ReplayedDays,
  kind: 'bars' | 'ticks',
  hasRecords: boolean,
): readonly string[] {
  const [first] = result.strategies;
  const faults = Object.entries(first?.result.faults ?? {}).flatMap(([symbol, { crossed, skipped }]) =>
    crossed + skipped === 0 ? [] : [`${crossed + skipped} of ${symbol}`],
  );
  const isHedging = accounts.every(({ account }) => account.margin_mode === AccountMarginMode.RETAIL_HEDGING);
  const ran = subject.isPortfolio ? portfolioText(result) : `version ${first?.result.version} of the file as it is now`;
  const clock = zone === null ? 'on Europe/Athens time, because that of the gateway is not known' : `on ${zone} time`;
  return [
    `The backtest ran ${ran}, from a flat start, over the gateway's ${kind}. Its broker: ${clock}; ${first ? assumptionsText(first.result.assumptions) : ''}.`,
    ...(kind === 'bars'
      ? ['Bars have one spread per minute, and fills at their opens; --ticks replays every quote.']
      : []),
    ...haltNotes(result),
    ...result.strategies.flatMap(errorNotes),
    ...(hasRecords
      ? []
      : [
          "The market does not run on the daemon's clock, so the daemon's log, records and received bars cannot be matched with entries.",
        ]),
    ...(faults.length > 0 ? [`Faulty prices were accepted: ${faults.join(', ')}.`] : []),
    ...(isHedging ? [] : ['The account is a netting account; the backtest has a hedging account.']),
    ...(span.isUntilNow ? [] : ['Positions open at the end of the period count with their booked result only.']),
  ];
}

function portfolioText({ strategies }: PortfolioResult): string {
  const versions = strategies.map(({ name, result }) => `${name} version ${result.version}`);
  return `the files as they are now (${versions.join(', ')}) on one account with the capital and the limits of the portfolio`;
}

/** A halt of the portfolio, which halts all of its strategies, is named once. */
function haltNotes({ halts, strategies }: PortfolioResult): readonly string[] {
  const own = strategies.flatMap((run) =>
    run.halts.filter(({ reason }) => !reason.startsWith('portfolio ')).map((halt) => ({ ...halt, name: run.name })),
  );
  const all = [...halts.map((halt) => ({ ...halt, name: 'the portfolio' })), ...own];
  return all.map(({ name, atMs, reason }) => `The backtest halted ${name} at ${shown(atMs)}: ${reason}.`);
}

function errorNotes({ name, errors, firstError, failure }: StrategyRun): readonly string[] {
  return [
    ...(failure === null ? [] : [`${name} failed to warm up in the backtest and never traded in it: ${failure}`]),
    ...(firstError === null
      ? []
      : [
          `${name} threw ${countText(errors, 'time')} in the backtest, first at ${shown(firstError.timeMs)}: ${firstError.error}`,
        ]),
  ];
}

/** Ranges that a sentence lists; JSON has all. */
const mostListed = 5;

/** Which bars the backtest of a live strategy received, a sentence for each stream. */
export function receivedNotes({ name, sources, damaged }: ReceivedDays): readonly string[] {
  return [
    ...sources.flatMap((stream) => (countOf(stream.received, stream.gateway) === 0 ? [] : [textOf(name, stream)])),
    ...(damaged === 0
      ? []
      : [`The record of the bars that ${name} received has damaged lines: ${damaged}. Their bars are the gateway's.`]),
  ];
}

/** Whether bars of a strategy are not on record. */
export function hasUnrecorded({ sources }: ReceivedDays): boolean {
  return sources.some(({ gateway }) => gateway.length > 0);
}

function textOf(name: string, source: StreamSources): string {
  const { stream, received, gateway, changed, removed, notReceived, late } = source;
  const [own, other] = [countOf(received), countOf(gateway)];
  const parts = [
    ...(changed.length === 0 ? [] : [`other prices at the gateway now: ${countOf(changed)}${listed(changed)}`]),
    ...(removed.length === 0 ? [] : [`no longer at the gateway: ${countOf(removed)}${listed(removed)}`]),
    ...(notReceived.length === 0
      ? []
      : [`at the gateway, but not received: ${countOf(notReceived)}${listed(notReceived)}`]),
    ...(late === 0 ? [] : [`late: ${late}`]),
  ];
  const differences = parts.length === 0 ? '' : ` Differences: ${parts.join('; ')}.`;
  return `${baseText(name, stream, own, other, source)}${differences}`;
}

function baseText(
  name: string,
  stream: string,
  own: number,
  other: number,
  { received, gateway }: StreamSources,
): string {
  if (own === 0)
    return `The backtest of ${name} got the gateway's ${countText(other, 'bar')} of ${stream}: none is on record.`;
  if (other === 0)
    return `The backtest of ${name} got all ${countText(own, 'bar')} of ${stream} as ${name} received them.`;
  return `The backtest of ${name} got ${own} of ${own + other} bars of ${stream} as ${name} received them${listed(received)}, and ${other} as the gateway has them, because they are not on record${listed(gateway)}.`;
}

function countOf(...lists: readonly (readonly BarRange[])[]): number {
  return lists.flat().reduce((sum, { bars }) => sum + bars, 0);
}

function listed(ranges: readonly BarRange[]): string {
  const texts = ranges.slice(0, mostListed).map(({ fromMs, toMs }) => {
    return fromMs === toMs ? shown(fromMs) : `${shown(fromMs)} to ${shown(toMs)}`;
  });
  const more = ranges.length > mostListed ? [`${ranges.length - mostListed} more times`] : [];
  return ` (${[...texts, ...more].join(', ')})`;
}
