import { AccountMarginMode } from '@libs/trade-constants';
import { assumptionsText } from '../backtest/broker-terms';
import { shown } from '../backtest/period';
import type { PortfolioResult, StrategyRun } from '../backtest/portfolio-result';
import type { LiveHistory } from './live-history';
import type { ReplayedDays } from './replayed-days';

/** What a comparison of a live strategy or portfolio with a backtest rests on, a sentence each. */
export function comparisonNotes(
  { subject, span, accounts }: LiveHistory,
  { result, zone }: ReplayedDays,
  kind: 'bars' | 'ticks',
  hasRecords: boolean,
): readonly string[] {
  const [first] = result.strategies;
  const faults = Object.entries(first?.result.faults ?? {}).map(
    ([symbol, { crossed, skipped }]) => `${crossed + skipped} of ${symbol}`,
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
      : [`${name} threw ${errors} times in the backtest, first at ${shown(firstError.timeMs)}: ${firstError.error}`]),
  ];
}
