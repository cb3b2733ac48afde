import { Decimal } from 'decimal.js';
import type { StrategyRecord } from './records';

/** The record with a different capital: adding or removing capital must not count as a profit or a drawdown. */
export function withCapital(record: StrategyRecord, capital: number): StrategyRecord {
  if (record.capital === capital) return record;
  const moved = new Decimal(capital).minus(record.capital ?? capital);
  return { ...withEquityMoved(record, moved), capital };
}

/** The record with all its equities shifted by an amount that is neither profit nor loss. */
export function withEquityMoved(record: StrategyRecord, by: Decimal): StrategyRecord {
  const moved = (equity: string): string => by.plus(equity).toString();
  const { day, peakEquity } = record;
  return {
    ...record,
    day: day === null ? null : { ...day, equity: moved(day.equity) },
    peakEquity: peakEquity === null ? null : moved(peakEquity),
  };
}
