import { Decimal } from 'decimal.js';

/** Equity and the level that it is compared with, both in the account currency. */
export interface Drawdown {
  readonly equity: Decimal;
  readonly reference: Decimal;
}

/** A drawdown ends when it is below this part of its limit, so that one at the limit is not reported again and again. */
const endsBelow = '0.8';

/** The loss since the reference in percent; null if there is nothing to lose. */
export function percentOf({ equity, reference }: Drawdown): Decimal | null {
  if (!reference.greaterThan(0)) return null;
  return Decimal.max(0, reference.minus(equity)).dividedBy(reference).times(100);
}

/** Whether a drawdown is at its limit. @param isReported whether it was reported and has not ended since */
export function isDeep(drawdown: Drawdown, limitPercent: number, isReported: boolean): boolean {
  const percent = percentOf(drawdown);
  const limit = new Decimal(limitPercent).times(isReported ? endsBelow : 1);
  return percent !== null && percent.greaterThanOrEqualTo(limit);
}

/** The highest equity of an account, as stored. Amounts are decimal texts. */
export interface PeakMemory {
  /** Login and server. */
  readonly account: string;
  readonly peak: string;
  /** The equity of the last reading. */
  readonly last: string;
  /** Up to this event of the log, deposits and withdrawals are accounted for. */
  readonly seq: number;
}

export interface PeakReading {
  readonly account: string;
  readonly equity: Decimal.Value;
  /** Sum of the deposits and withdrawals in the event log since the last reading. */
  readonly operations: Decimal.Value;
  readonly seq: number;
}

/**
 * Takes a reading of the equity. Deposits and withdrawals move the peak as well. An equity becomes the peak with the second
 * reading in a row, because a deposit can be in the equity before it is in the event log.
 */
export function peakStep(before: PeakMemory | null, { account, equity, operations, seq }: PeakReading): PeakMemory {
  const now = new Decimal(equity);
  if (before?.account !== account) return { account, peak: now.toString(), last: now.toString(), seq };
  const proven = Decimal.min(now, new Decimal(before.last).plus(operations));
  const peak = Decimal.max(new Decimal(before.peak).plus(operations), proven);
  return { account, peak: peak.toString(), last: now.toString(), seq };
}
