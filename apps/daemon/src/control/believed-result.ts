import type { Portfolio } from '../portfolios/portfolio';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { LogBook } from '../logs/log-book';
import type { Deployed } from './deployed';

/** Interval of the readings of the equity, in milliseconds. */
export const equityEveryMs = 60_000;

/** Records the result of each strategy and portfolio whose result is known at this time. */
export function recordEquity(
  { strategies, portfolios }: Pick<Deployed, 'strategies' | 'portfolios'>,
  logs: LogBook,
  atMs: number,
): void {
  for (const { spec, book } of strategies.filter(isResultKnown)) note(spec.name, book);
  for (const portfolio of portfolios.filter(isSumKnown)) note(portfolio.spec.name, portfolio);

  function note(name: string, { realized, unrealized }: Pick<Portfolio, 'realized' | 'unrealized'>): void {
    logs.equityOf(name).note({ atMs, realized: realized.toNumber(), unrealized: unrealized.toNumber() });
  }
}

/**
 * Whether what a strategy has earned is known at this time: its accounts were just read and are explained, none of its requests has
 * an unknown outcome, and the profit of none of its positions is doubted.
 */
function isResultKnown({ trading, book, accounts }: StrategyRunner): boolean {
  return (
    trading.unreadable === null &&
    book.isEquityKnown &&
    trading.desk.unknown === 0 &&
    accounts.areCurrent &&
    accounts.seen.every(({ state, reason }) => state === 'connected' && reason === null) &&
    accounts.brokers.every((broker) => book.doubtedProfits(broker).length === 0)
  );
}

function isSumKnown({ unreadable, children, isEquityKnown }: Portfolio): boolean {
  return unreadable === null && isEquityKnown && children.length > 0 && children.every(isResultKnown);
}
