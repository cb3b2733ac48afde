import { Decimal } from 'decimal.js';
import type { StrategyRecord } from '../state/records';

/** The record under another capital: money that is given or taken away must not look like a profit or a drawdown. */
export function withCapital(record: StrategyRecord, capital: number): StrategyRecord {
  if (record.capital === capital) return record;
  const moved = new Decimal(capital).minus(record.capital ?? capital);
  return { ...withEquityMoved(record, moved), capital };
}

/** The record with all that it remembers of the equity moved by what was neither profit nor loss. */
export function withEquityMoved(record: StrategyRecord, by: Decimal): StrategyRecord {
  const moved = (equity: string): string => by.plus(equity).toString();
  const { day, peakEquity } = record;
  return {
    ...record,
    day: day === null ? null : { ...day, equity: moved(day.equity) },
    peakEquity: peakEquity === null ? null : moved(peakEquity),
  };
}
