import { currencyDigits, type AccountRecord, type PositionRecord } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import { floatingOf } from '../core/book-view';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategySpec } from '../core/strategy-spec';
import type { OrderDesk } from './order-desk';

/** A deployed strategy, as far as the account's money goes. */
export interface Member {
  readonly spec: Pick<StrategySpec, 'name'>;
  readonly book: StrategyBook;
  readonly trading: {
    readonly desk: Pick<OrderDesk, 'inFlightOn'>;
    /** Why its state cannot be read; null when it can. */
    readonly unreadable: string | null;
  };
}

/** What is deployed at the moment. */
export interface Deployed {
  readonly strategies: readonly Member[];
}

/** One gateway's account and the attribution of its money, from one snapshot; amounts in the account's currency. */
export interface AccountReport {
  readonly login: number;
  readonly server: string;
  readonly currency: string;
  readonly currencyDigits: number;
  /** When it was read, by this machine's clock; null, as all that follows, while it could not be read. */
  readonly asOf: string | null;
  readonly balance: number | null;
  readonly credit: number | null;
  /** Floating result of all positions, swap included. */
  readonly unrealized: number | null;
  /** Balance, credit and unrealized P&L. */
  readonly equity: number | null;
  /** P&L of the deployed strategies; null, like the next two, while it is uncertain. */
  readonly strategies: { readonly realized: number; readonly unrealized: number } | null;
  /** Realized results of strategies that are no longer configured. */
  readonly removed: { readonly realized: number } | null;
  /** The rest: deposits, manual trades, positions that no deployed strategy owns. */
  readonly unattributed: { readonly balance: number; readonly unrealized: number } | null;
  /** Why something is null. */
  readonly problem: string | null;
}

/** An account and its positions, read while its balance did not change. */
export interface AccountSight {
  readonly account: AccountRecord;
  readonly positions: readonly PositionRecord[];
  readonly asOfMs: number;
}

/** Sum of the results of strategies that are no longer deployed on a gateway, or why it is unknown. */
export type RemovedSum = Decimal | string;

/** A report without figures. */
export function unknownReport(
  { login, server, currency }: Pick<AccountRecord, 'login' | 'server' | 'currency'>,
  problem: string,
): AccountReport {
  return {
    login,
    server,
    currency,
    currencyDigits: currencyDigits(currency),
    problem,
    asOf: null,
    balance: null,
    credit: null,
    unrealized: null,
    equity: null,
    strategies: null,
    removed: null,
    unattributed: null,
  };
}

/**
 * Divides an account: its balance among what strategies realized on it and the rest, its floating result by who owns
 * the positions. The shares are unknown while a deal may not be booked yet.
 */
export function reportOf(
  broker: string,
  { account, positions, asOfMs }: AccountSight,
  members: readonly Member[],
  removed: RemovedSum,
): AccountReport {
  const floating = sum(positions.map(floatingOf));
  const whole = {
    login: account.login,
    server: account.server,
    currency: account.currency,
    currencyDigits: account.currency_digits,
    asOf: new Date(asOfMs).toISOString(),
    balance: account.balance,
    credit: account.credit,
    unrealized: floating.toNumber(),
    equity: floating.plus(account.balance).plus(account.credit).toNumber(),
  };
  const rows = new Map(positions.map((row) => [row.identifier, row]));
  const problem = members.map((member) => uncertainty(broker, member)).find((found) => found !== null);
  const realized = members.map(({ book }) => book.realizedOn(broker)).filter((amount) => amount !== null);
  if (problem !== undefined || typeof removed === 'string') {
    const why = problem ?? (typeof removed === 'string' ? removed : null);
    return { ...whole, strategies: null, removed: null, unattributed: null, problem: why };
  }
  const owned = members.flatMap(({ book }) => book.openTickets.filter((ticket) => ticket.broker === broker));
  const theirs = sum(owned.flatMap(({ ticket }) => rows.get(ticket) ?? []).map(floatingOf));
  const earned = sum(realized);
  return {
    ...whole,
    strategies: { realized: earned.toNumber(), unrealized: theirs.toNumber() },
    removed: { realized: removed.toNumber() },
    unattributed: {
      balance: new Decimal(account.balance).minus(earned).minus(removed).toNumber(),
      unrealized: floating.minus(theirs).toNumber(),
    },
    problem: null,
  };
}

/** Why the attribution is uncertain; null if it is certain. */
function uncertainty(broker: string, { spec: { name }, book, trading: { desk, unreadable } }: Member): string | null {
  if (unreadable !== null) return `${name}: ${unreadable}`;
  if (book.realizedOn(broker) === null) return `${name}: its record does not hold results by gateway`;
  if (desk.inFlightOn(broker) > 0) return `${name} has a request in flight`;
  return book.unsettled(broker).length > 0 ? `${name} has deals that are not booked yet` : null;
}

function sum(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((total, amount) => total.plus(amount), new Decimal(0));
}
