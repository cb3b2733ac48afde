import {
  type AccountInfo,
  type Credentials,
  LastErrorCode,
  type LastError,
  type TerminalClient,
  TerminalUnavailableError,
} from '@libs/terminal-client';

/** What one attempt to reach the right account came to. */
export type AttemptOutcome =
  | { readonly kind: 'verified'; readonly account: AccountInfo }
  /** The terminal is there, but nobody is logged in and there is nothing to log in with. */
  | { readonly kind: 'logged-out' }
  | { readonly kind: 'failed'; readonly lastError: LastError };

/** Attaches to the terminal and makes sure that the right account is logged in. Never throws. */
export async function attemptLogin(terminal: TerminalClient, credentials: Credentials | null): Promise<AttemptOutcome> {
  try {
    await terminal.connect();
    const found = await readSession(terminal);
    if (found.kind === 'verified' && (credentials === null || isAccount(found.account, credentials))) return found;
    if (credentials === null) return found;
    const login = await terminal.login(credentials);
    if (!login.ok) return { kind: 'failed', lastError: login.lastError };
    return rightAccount(await readSession(terminal), credentials);
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

/** True when the account is the one that is wanted; server names are compared without case. */
export function isAccount(account: AccountInfo, wanted: Pick<Credentials, 'login' | 'server'>): boolean {
  return account.login === wanted.login && account.server.toLowerCase() === wanted.server.toLowerCase();
}

/** The terminal's error in whatever was thrown at the terminal's door. */
export function lastErrorOf(error: unknown): LastError {
  if (error instanceof TerminalUnavailableError) return error.lastError;
  return { code: LastErrorCode.FAIL, message: error instanceof Error ? error.message : String(error) };
}

function rightAccount(found: AttemptOutcome, credentials: Credentials): AttemptOutcome {
  if (found.kind === 'logged-out') return failed(LastErrorCode.AUTH_FAILED, 'nobody is logged in after the login');
  if (found.kind === 'verified' && !isAccount(found.account, credentials)) {
    return failed(LastErrorCode.AUTH_FAILED, 'another account is logged in than the configured one');
  }
  return found;
}

function failed(code: number, message: string): AttemptOutcome {
  return { kind: 'failed', lastError: { code, message } };
}
