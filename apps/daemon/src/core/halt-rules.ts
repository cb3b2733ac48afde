import { Decimal } from 'decimal.js';
import type { RiskSpec } from './strategy-spec';
import type { HaltRecord, StrategyRecord } from './records';

/**
 * Applies the halt rules to the current equity: a new market day sets the baseline of the daily loss and ends a daily
 * halt, a new high sets the peak, a breached limit halts. Returns the same object if nothing changed.
 * @param date the market's day, `YYYY-MM-DD`
 */
export function afterEquity(
  record: StrategyRecord,
  risk: Pick<RiskSpec, 'maxDailyLoss' | 'maxDrawdownPct'>,
  equity: Decimal,
  date: string,
  nowMs: number,
): StrategyRecord {
  const isNewDay = record.day === null || date > record.day.date;
  const day = isNewDay ? { date, equity: equity.toString() } : record.day;
  const peak = Decimal.max(record.peakEquity ?? equity, equity);
  const kept = isNewDay && record.halt?.kind === 'daily' ? null : record.halt;
  const halt = kept ?? breach(risk, equity, day === null ? equity : new Decimal(day.equity), peak, nowMs);
  const samePeak = record.peakEquity !== null && peak.eq(record.peakEquity);
  if (!isNewDay && samePeak && halt === record.halt) return record;
  return { ...record, day, peakEquity: peak.toString(), halt };
}

/**
 * The record without its halt; this equity is the new baseline of the limits.
 * @param equity null while it is unknown: the next known equity becomes the baseline
 */
export function resumed(record: StrategyRecord, equity: Decimal | null): StrategyRecord {
  const { day } = record;
  if (equity === null) return { ...record, halt: null, peakEquity: null, day: null };
  const from = equity.toString();
  return { ...record, halt: null, peakEquity: from, day: day === null ? null : { ...day, equity: from } };
}

function breach(
  { maxDailyLoss, maxDrawdownPct }: Pick<RiskSpec, 'maxDailyLoss' | 'maxDrawdownPct'>,
  equity: Decimal,
  dayEquity: Decimal,
  peak: Decimal,
  atMs: number,
): HaltRecord | null {
  // Divide only if needed: a backtest checks at every price.
  const drawdownPct = maxDrawdownPct === null ? null : drawdown(peak, equity);
  if (maxDrawdownPct !== null && drawdownPct?.gte(maxDrawdownPct)) {
    const reason = `drawdown of ${drawdownPct.toFixed(2)} % reached maxDrawdownPct ${maxDrawdownPct}`;
    return { kind: 'persistent', reason, atMs };
  }
  const loss = dayEquity.minus(equity);
  if (maxDailyLoss !== null && loss.gte(maxDailyLoss)) {
    return { kind: 'daily', reason: `daily loss of ${loss.toFixed(2)} reached maxDailyLoss ${maxDailyLoss}`, atMs };
  }
  return null;
}

/** Drawdown from the peak equity, in percent. */
export function drawdown(peak: Decimal, equity: Decimal): Decimal {
  return peak.lte(0) ? new Decimal(0) : peak.minus(equity).div(peak).times(100);
}
