import {
  type AccountInfo,
  LastErrorCode,
  type LastError,
  type TerminalClient,
  TerminalUnavailableError,
} from '@libs/terminal-client';
import type { SessionOptions } from './session-options';

/** What one attempt to reach the right account came to. */
export type AttemptOutcome =
  | { readonly kind: 'verified'; readonly account: AccountInfo }
  /** The terminal is there, but nobody is logged in and there is nothing to log in with. */
  | { readonly kind: 'logged-out' }
  | { readonly kind: 'failed'; readonly lastError: LastError };

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
    if (!login.ok) return { kind: 'failed', lastError: login.lastError };
    const after = await readSession(terminal);
    if (after.kind === 'logged-out') return failed(LastErrorCode.AUTH_FAILED, 'nobody is logged in after the login');
    return rightAccount(after, credentials);
  } catch (error) {
    return { kind: 'failed', lastError: lastErrorOf(error) };
  }
}

/** Who is logged in, as far as the terminal is connected to its trade server. */
export async function readSession(terminal: TerminalClient): Promise<AttemptOutcome> {
  const [info, account] = await Promise.all([terminal.terminalInfo(), terminal.accountInfo()]);
  if (account === null) return { kind: 'logged-out' };
  if (!info.connected)
    return failed(LastErrorCode.INTERNAL_FAIL_CONNECT, 'the terminal has no connection to its server');
  return { kind: 'verified', account };
}

/** True when the account is the one that is wanted, as far as that is known; server names are compared without case. */
export function isAccount(account: AccountInfo, wanted: NonNullable<SessionOptions['expected']>): boolean {
  return (
    (wanted.login === undefined || account.login === wanted.login) &&
    (wanted.server === undefined || account.server.toLowerCase() === wanted.server.toLowerCase())
  );
}

/** The terminal's error in whatever was thrown at the terminal's door. */
export function lastErrorOf(error: unknown): LastError {
  if (error instanceof TerminalUnavailableError) return error.lastError;
  return { code: LastErrorCode.FAIL, message: error instanceof Error ? error.message : String(error) };
}

function rightAccount(found: AttemptOutcome, wanted: NonNullable<SessionOptions['expected']>): AttemptOutcome {
  if (found.kind !== 'verified' || isAccount(found.account, wanted)) return found;
  return failed(LastErrorCode.AUTH_FAILED, 'another account is logged in than the configured one');
}

function failed(code: number, message: string): AttemptOutcome {
  return { kind: 'failed', lastError: { code, message } };
}
