import { countText } from '@libs/gateway-client/figure-text';
import type { Performance } from './performance';
import { tradingDaysAYear } from './sharpe';

/** Length of a run; reports of earlier versions do not have it. */
type RunLength = Partial<Pick<Performance, 'tradingDays'>>;

/** A run of a year, but for its holidays. */
const fewestDaysAYear = 245;

/**
 * Whether a run is long enough to state its growth for a year: the standards for investment results (GIPS) forbid it for less
 * than a year, because luck of days would be multiplied.
 */
export function isAnnual({ tradingDays }: RunLength): boolean {
  return tradingDays === undefined || tradingDays >= fewestDaysAYear;
}

/** What an annualised figure of a shorter run has to say: the days it is made of. Empty for a year and more. */
export function annualNote(run: RunLength): string {
  return isAnnual(run) ? '' : ` (of ${countText(run.tradingDays ?? 0, 'day')})`;
}

/**
 * Standard error of an annualised Sharpe ratio (Lo, The Statistics of Sharpe Ratios, 2002, for independent days); null if the
 * length of the run is not known.
 */
export function sharpeError(sharpe: number, { tradingDays }: RunLength): number | null {
  if (tradingDays === undefined || tradingDays === 0) return null;
  return Math.sqrt((tradingDaysAYear + sharpe ** 2 / 2) / tradingDays);
}
