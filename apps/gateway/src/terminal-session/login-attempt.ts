import {
  type AccountInfo,
  LastErrorCode,
  type LastError,
  type TerminalClient,
  TerminalUnavailableError,
} from '@libs/terminal-client';
import { accountObstacle, type TradingObstacle } from '@libs/order-drafts';
import type { SessionOptions } from './session-options';
import { problemOf, type SessionProblem, type SessionProblemKind } from './session-problem';

/** The right account, logged in to its server at a terminal of this build. */
export interface VerifiedSession {
  readonly kind: 'verified';
  readonly account: AccountInfo;
  readonly terminalBuild: number;
  /** What keeps orders from being taken; null if nothing does. */
  readonly obstacle: TradingObstacle | null;
}

/** Result of one attempt to reach the right account. */
export type AttemptOutcome =
  | VerifiedSession
  /** The terminal is reachable, but no account is logged in and there are no credentials. */
  | { readonly kind: 'logged-out' }
  | { readonly kind: 'failed'; readonly problem: SessionProblem };

/** Attaches to the terminal and makes sure that the right account is logged in. Never throws. */
export async function attemptLogin(
  terminal: TerminalClient,
  { credentials, expected }: Pick<SessionOptions, 'credentials' | 'expected'>,
): Promise<AttemptOutcome> {
  try {
    await terminal.connect();
    const found = await readSession(terminal);
    if (credentials === null) return rightAccount(found, expected ?? {});
    if (found.kind === 'verified' && isAccount(found.account, credentials)) return found;
    const login = await terminal.login(credentials);
    if (!login.ok) return failed('login_refused', login.lastError);
    const after = await readSession(terminal);
    if (after.kind === 'logged-out')
      return failed('login_refused', {
        code: LastErrorCode.AUTH_FAILED,
        message: 'no account is logged in after the login',
      });
    return rightAccount(after, credentials);
  } catch (error) {
    return { kind: 'failed', problem: problemOf(lastErrorOf(error)) };
  }
}

/**
 * The logged-in account, if the terminal is connected to its trade server.
 * @param onAccount called with the account as soon as it is read; null: none is logged in
 */
export async function readSession(
  terminal: TerminalClient,
  onAccount: (account: AccountInfo | null) => void = () => undefined,
): Promise<AttemptOutcome> {
  const readAccount = async (): Promise<AccountInfo | null> => {
    const account = await terminal.accountInfo();
    onAccount(account);
    return account;
  };
  const [info, account] = await Promise.all([terminal.terminalInfo(), readAccount()]);
  if (account === null) return { kind: 'logged-out' };
  if (!info.connected)
    return failed('no_server', {
      code: LastErrorCode.INTERNAL_FAIL_CONNECT,
      message: 'the terminal has no connection to its server',
    });
  return { kind: 'verified', account, terminalBuild: info.build, obstacle: accountObstacle(info, account) };
}

/** Whether the account is the configured one, as far as that is known; server names are case-insensitive. */
export function isAccount(account: AccountInfo, wanted: NonNullable<SessionOptions['expected']>): boolean {
  return (
    (wanted.login === undefined || account.login === wanted.login) &&
    (wanted.server === undefined || account.server.toLowerCase() === wanted.server.toLowerCase())
  );
}

/** The terminal's error from any value thrown by a call to the terminal. */
export function lastErrorOf(error: unknown): LastError {
  if (error instanceof TerminalUnavailableError) return error.lastError;
  return { code: LastErrorCode.FAIL, message: error instanceof Error ? error.message : String(error) };
}

function rightAccount(found: AttemptOutcome, wanted: NonNullable<SessionOptions['expected']>): AttemptOutcome {
  if (found.kind !== 'verified' || isAccount(found.account, wanted)) return found;
  return failed('wrong_account', {
    code: LastErrorCode.AUTH_FAILED,
    message: 'the logged-in account is not the configured one',
  });
}

function failed(kind: SessionProblemKind, lastError: LastError): AttemptOutcome {
  return { kind: 'failed', problem: { kind, lastError } };
}
