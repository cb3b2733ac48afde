import { moneyText } from '@libs/gateway-client/figure-text';
import { Decimal } from 'decimal.js';
import type { RiskSpec, PortfolioSpec } from './strategy-spec';
import type { HaltRecord, StrategyRecord, OwnedTicket } from './records';
import type { StrategyEvent } from './strategy-event';
import { isClose, type OrderIntent } from './plan';
import type { InFlightRequests } from './in-flight-requests';
import type { Holdings } from './risk';

/**
 * Applies the halt rules to the current equity: a new market day sets the baseline of the daily loss and ends a daily
 * halt, a new high sets the peak, a breached limit halts. Returns the same object if nothing changed.
 * @param date the market's day, `YYYY-MM-DD`
 * @param moneyDigits decimals of the account's currency; undefined if they are not known
 */
export function afterEquity(
  record: StrategyRecord,
  risk: Pick<RiskSpec, 'maxDailyLoss' | 'maxDrawdownPct'>,
  equity: Decimal,
  date: string,
  nowMs: number,
  moneyDigits?: number,
): StrategyRecord {
  const isNewDay = record.day === null || date > record.day.date;
  const day = isNewDay ? { date, equity: equity.toString() } : record.day;
  const peak = Decimal.max(record.peakEquity ?? equity, equity);
  const kept = isNewDay && record.halt?.kind === 'daily' ? null : record.halt;
  const halt = kept ?? breach(risk, equity, day === null ? equity : new Decimal(day.equity), peak, nowMs, moneyDigits);
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
  moneyDigits: number | undefined,
): HaltRecord | null {
  // Divide only if needed: a backtest checks at every price.
  const drawdownPct = maxDrawdownPct === null ? null : drawdown(peak, equity);
  if (maxDrawdownPct !== null && drawdownPct?.gte(maxDrawdownPct)) {
    const reason = `drawdown of ${drawdownPct.toFixed(2)} % reached maxDrawdownPct ${maxDrawdownPct}`;
    return { kind: 'persistent', reason, atMs };
  }
  const loss = dayEquity.minus(equity);
  if (maxDailyLoss !== null && loss.gte(maxDailyLoss)) {
    const lost = moneyText(loss.toNumber(), moneyDigits);
    return { kind: 'daily', reason: `daily loss of ${lost} reached maxDailyLoss ${maxDailyLoss}`, atMs };
  }
  return null;
}

/** Drawdown from the peak equity, in percent. */
export function drawdown(peak: Decimal, equity: Decimal): Decimal {
  return peak.lte(0) ? new Decimal(0) : peak.minus(equity).div(peak).times(100);
}

/**
 * Applies the shared limits of a portfolio to its equity. Returns the same object if nothing changed.
 * @param equity of all its children together
 * @param marketMs market time, in milliseconds since the epoch: the newest of all children
 * @param nowMs time of a halt, in milliseconds since the epoch
 * @param moneyDigits decimals of the account's currency; undefined if they are not known
 */
export function afterPortfolioEquity(
  record: StrategyRecord,
  { risk }: Pick<PortfolioSpec, 'risk'>,
  equity: Decimal,
  marketMs: number,
  nowMs: number,
  moneyDigits?: number,
): StrategyRecord {
  return afterEquity(record, risk, equity, new Date(marketMs).toISOString().slice(0, 10), nowMs, moneyDigits);
}

/** The halt of a child that follows from the halt of its portfolio. A child that is halted keeps its own. */
export function haltOfChild(
  { name }: Pick<PortfolioSpec, 'name'>,
  { kind, reason }: Pick<HaltRecord, 'kind' | 'reason'>,
): Pick<HaltRecord, 'kind' | 'reason'> {
  return { kind, reason: `portfolio ${name}: ${reason}` };
}

/** Handlers of one kind of event that may throw in a row before the strategy is halted. */
const mostErrors = 5;

/** Counts the handlers of a strategy that threw. */
export class HandlerErrors {
  /** How often a handler threw. */
  count = 0;
  /** Counted per event type, so that a healthy onReject does not reset a failing onBar. */
  private readonly inARow = new Map<StrategyEvent['type'], number>();

  /**
   * Notes how the handler of an event ended.
   * @param hasThrown whether it threw
   * @param isHalted whether the strategy is halted already
   * @returns why the strategy is to be halted now; null if it is not
   */
  note(type: StrategyEvent['type'], hasThrown: boolean, isHalted: boolean): string | null {
    if (!hasThrown) {
      this.inARow.delete(type);
      return null;
    }
    this.count++;
    const inARow = (this.inARow.get(type) ?? 0) + 1;
    this.inARow.set(type, inARow);
    if (inARow < mostErrors || isHalted) return null;
    this.inARow.clear();
    return `${mostErrors} handlers threw in a row`;
  }
}

/** A position that is to be closed without a decision of the strategy. */
export interface ForcedExit {
  readonly intent: Extract<OrderIntent, { action: 'close' }>;
  readonly reason: string;
}

/** Wait after a close that failed for good: the next one would be refused for the same reason. */
const pauseMs = 30_000;

/**
 * The positions to close now, once a halt flattens the strategy: all that the last account snapshots and the books show. What the books hold and a snapshot lacks is closed by its ticket: no deal has closed it. A position with a close in
 * flight is left to that close, and a close that failed is repeated after {@link pauseMs}.
 * @param unread the gateway that refused its account just now; what was closed there since it was read is not closed again
 */
export function forcedExits(
  { book, inFlight }: Holdings,
  { failedExits, unreadCloses = [] }: Pick<InFlightRequests, 'failedExits' | 'unreadCloses'>,
  nowMs: number,
  unread: string | null = null,
): readonly ForcedExit[] {
  const { halt } = book.record;
  if (halt?.flattens !== true) return [];
  const { unseen } = book;
  const isOf =
    ({ broker, ticket }: Pick<OwnedTicket, 'broker' | 'ticket'>) =>
    (other: { readonly broker: string; readonly ticket: number | null }): boolean =>
      other.broker === broker && other.ticket === ticket;
  const unshown = book.unshown.filter((owned) => owned.broker === unread || !unseen.includes(owned));
  return [...book.held.map(({ owned }) => owned), ...unshown]
    .filter((owned) => !inFlight.some((other) => isClose(other) && isOf(owned)(other)))
    .filter((owned) => !unreadCloses.some(isOf(owned)))
    .filter((owned) => !failedExits.some(([, exit]) => isOf(owned)(exit) && nowMs < exit.atMs + pauseMs))
    .map(({ broker, ticket }) => ({
      intent: { id: `flatten-${ticket}`, action: 'close', position: ticket, broker, volume: null },
      reason: `halted: ${halt.reason}`,
    }));
}
