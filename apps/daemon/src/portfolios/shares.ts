import { Decimal } from 'decimal.js';
import type { StrategyRecord } from '../core/records';
import type { StrategyRunner } from '../strategies/strategy-runner';
import { withEquityMoved } from '../core/ledger';

/** Each child's part of a portfolio's equity, realized and unrealized, by name. */
export type Shares = Readonly<Record<string, string>>;

/** Whether the value of a child's positions is known. */
export function isWorthKnown({ trading, book }: StrategyRunner): boolean {
  return trading.unreadable === null && book.isEquityKnown;
}

/** The shares of the children; those with an unknown value are left out. */
export function sharesOf(children: readonly StrategyRunner[]): Shares {
  return Object.fromEntries(
    children.filter(isWorthKnown).map(({ spec, book }) => [spec.name, book.realized.plus(book.unrealized).toString()]),
  );
}

/**
 * A record with the children whose results its equities include. One of an earlier version lacks them: its children are taken to
 * be those of the moment, so that an upgrade is neither profit nor loss.
 */
export function withShares(record: StrategyRecord, children: readonly StrategyRunner[]): StrategyRecord {
  if (record.shares !== undefined) return record;
  const shares = Object.fromEntries(children.map(({ spec, book }) => [spec.name, book.realized.toString()]));
  return { ...record, shares };
}

/**
 * The record with the shares of the children it counts as they are now; those that came or went are left as they were.
 */
export function refreshed(record: StrategyRecord, now: Shares): StrategyRecord {
  const counted = Object.entries(record.shares ?? {}).map(([name, share]) => [name, now[name] ?? share]);
  return { ...record, shares: Object.fromEntries(counted) as Shares };
}

/**
 * The record as if these had always been the children: what one brings or takes along is neither profit nor loss.
 * @param now the shares of all of them
 */
export function withChildren(record: StrategyRecord, now: Shares): StrategyRecord {
  const before = record.shares ?? now;
  const came = Object.entries(now).filter(([name]) => !(name in before));
  const gone = Object.entries(before).filter(([name]) => !(name in now));
  const moved = sum(came).minus(sum(gone));
  return { ...withEquityMoved(record, moved), shares: now };
}

function sum(shares: readonly (readonly [string, string])[]): Decimal {
  return shares.reduce((total, [, share]) => total.plus(share), new Decimal(0));
}
