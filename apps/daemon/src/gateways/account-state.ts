import type { HealthReport, OpenDifference, SessionState, AccountRecord } from '@libs/gateway-client';
import type { Account } from '@libs/strategy';
import type { LostStop } from '../core/lost-stops';
import { unexplainedReason } from '../core/position-evidence';

/** What a gateway says of its account: whether the lists of its terminal may be believed. */
export interface AccountState {
  /** As its `terminal_status`; `unreachable` while it does not answer, `unknown` before it has. */
  readonly state: SessionState | 'unreachable' | 'unknown';
  /** Why entries wait for the account; null while they do not. */
  readonly reason: string | null;
  /** Positions, orders and deals that nothing explains. */
  readonly tickets: readonly number[];
  /** What the account and the journal of the gateway disagree on. */
  readonly differences: readonly OpenDifference[];
}

/** Before a gateway has answered. */
export const unknownAccount: AccountState = { state: 'unknown', reason: null, tickets: [], differences: [] };

/** A gateway of an earlier version does not report evidence: then its lists are believed while it is connected. */
export function accountStateOf({ terminal_status: state, account_evidence, differences }: HealthReport): AccountState {
  const unexplained = account_evidence?.unexplained ?? [];
  const tickets = unexplained.flatMap(({ ticket }) => ticket ?? []);
  return { state, reason: reasonOf(state, unexplained), tickets, differences: differences ?? [] };
}

/** The account of a gateway that does not answer. */
export const unreachableAccount: AccountState = {
  ...unknownAccount,
  state: 'unreachable',
  reason: 'the gateway does not answer',
};

function reasonOf(state: SessionState, unexplained: readonly { readonly message: string }[]): string | null {
  if (state === 'connected') return null;
  if (state !== 'synchronizing') return `the gateway has no session with its terminal (${state})`;
  return unexplainedReason(unexplained) ?? 'account_not_explained: the gateway has not read the account yet';
}

/** Stop-losses of an explained account that are not those that were set. */
export function lostStopsOf({ state, reason, differences }: AccountState): readonly LostStop[] {
  if (state !== 'connected' || reason !== null) return [];
  return differences.flatMap(({ kind, field, ticket, expected, actual }) =>
    kind === 'level_mismatch' && field === 'sl' && ticket !== null && expected !== null && actual !== null
      ? [{ ticket, expected, actual }]
      : [],
  );
}

type StatedAccount = Pick<AccountRecord, 'currency' | 'leverage' | 'balance' | 'equity' | 'margin' | 'margin_free'>;

/** An account as strategies see it. */
export function accountOf({ currency, leverage, balance, equity, margin, margin_free }: StatedAccount): Account {
  return { currency, leverage, balance, equity, margin, freeMargin: margin_free };
}
