import type { Decimal } from 'decimal.js';
import type { PortfolioSpec } from './strategy-spec';
import type { HaltRecord, StrategyRecord } from './records';
import { afterEquity } from './halt-rules';

/**
 * Applies the shared limits of a portfolio to its equity. Returns the same object if nothing changed.
 * @param equity of all its children together
 * @param marketMs market time, in milliseconds since the epoch: the newest of all children
 * @param nowMs time of a halt, in milliseconds since the epoch
 */
export function afterPortfolioEquity(
  record: StrategyRecord,
  { risk }: Pick<PortfolioSpec, 'risk'>,
  equity: Decimal,
  marketMs: number,
  nowMs: number,
): StrategyRecord {
  return afterEquity(record, risk, equity, new Date(marketMs).toISOString().slice(0, 10), nowMs);
}

/** The halt of a child that follows from the halt of its portfolio. A child that is halted keeps its own. */
export function haltOfChild(
  { name }: Pick<PortfolioSpec, 'name'>,
  { kind, reason }: Pick<HaltRecord, 'kind' | 'reason'>,
): Pick<HaltRecord, 'kind' | 'reason'> {
  return { kind, reason: `portfolio ${name}: ${reason}` };
}
