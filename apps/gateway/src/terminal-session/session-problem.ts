import { type LastError, LastErrorCode } from '@libs/terminal-client';

/** Why an attempt failed or a session ended. */
export type SessionProblemKind =
  | 'login_refused'
  | 'wrong_account'
  | 'account_changed'
  | 'logged_out'
  | 'no_server'
  | 'token_refused'
  | 'not_running'
  | 'not_reachable'
  | 'no_answer'
  | 'versions_differ'
  | 'failed';

/** Why there is no session. It names settings, and never their values. */
export interface SessionProblem {
  readonly kind: SessionProblemKind;
  /** The terminal's own words. */
  readonly lastError: LastError;
}

interface Words {
  readonly what: string;
  /** Settings to check, by name. */
  readonly settings: readonly string[];
  /** What else helps. */
  readonly remedy?: string;
}

const words: Readonly<Record<SessionProblemKind, Words>> = {
  login_refused: {
    what: 'the broker refused the login',
    settings: ['TERMINAL_LOGIN', 'TERMINAL_PASSWORD', 'TERMINAL_SERVER'],
  },
  wrong_account: { what: 'another account is logged in', settings: ['TERMINAL_LOGIN', 'TERMINAL_SERVER'] },
  account_changed: { what: 'another account was logged in at the terminal', settings: [] },
  logged_out: { what: 'no account is logged in at the terminal', settings: [] },
  no_server: {
    what: "the terminal has no connection to the broker's server",
    settings: ['TERMINAL_SERVER'],
    remedy: 'the network',
  },
  token_refused: { what: 'the bridge refused the token', settings: ['TERMINAL_BRIDGE_TOKEN'] },
  not_running: { what: 'the terminal is not running, or not installed', settings: [], remedy: 'that it was started' },
  not_reachable: {
    what: 'the terminal or its bridge cannot be reached',
    settings: ['TERMINAL_BRIDGE_ADDR'],
    remedy: 'that both are running',
  },
  no_answer: {
    what: 'the terminal did not answer in time',
    settings: [],
    remedy: 'its desktop, where it may be starting or showing a dialog',
  },
  versions_differ: {
    what: 'the terminal and its package do not match',
    settings: [],
    remedy: 'that both are the latest',
  },
  failed: { what: 'the terminal failed', settings: [] },
};

const kinds: Readonly<Record<number, SessionProblemKind>> = {
  [LastErrorCode.AUTH_FAILED]: 'login_refused',
  [LastErrorCode.INVALID_VERSION]: 'versions_differ',
  [LastErrorCode.INTERNAL_FAIL_INIT]: 'not_running',
  [LastErrorCode.INTERNAL_FAIL_CONNECT]: 'not_reachable',
  [LastErrorCode.INTERNAL_FAIL_SEND]: 'not_reachable',
  [LastErrorCode.INTERNAL_FAIL_RECEIVE]: 'not_reachable',
  [LastErrorCode.INTERNAL_FAIL_TIMEOUT]: 'no_answer',
};

/** Both ends of the link answer this to a wrong token, with the code that the terminal has for a refused login. */
const tokenRefused = 'not authorised';

/** The problem behind an error of a call. */
export function problemOf(lastError: LastError): SessionProblem {
  const kind = lastError.message === tokenRefused ? 'token_refused' : (kinds[lastError.code] ?? 'failed');
  return { kind, lastError };
}

/** Whether the broker counts it as a failed login. */
export function isRefusedLogin({ kind }: SessionProblem): boolean {
  return kind === 'login_refused' || kind === 'wrong_account';
}

/** The settings to check, by name. */
export function settingsToCheck({ kind }: SessionProblem): readonly string[] {
  return words[kind].settings;
}

/** What is wrong and what to check, in one clause. */
export function problemText(problem: SessionProblem): string {
  const { code, message } = problem.lastError;
  const { what, settings, remedy } = words[problem.kind];
  const checks = [...(remedy === undefined ? [] : [remedy]), ...settings];
  const last = checks.length > 1 ? ` and ${checks.at(-1)}` : '';
  const list = `${checks.slice(0, checks.length > 1 ? -1 : 1).join(', ')}${last}`;
  return `${what} (${message}, ${code})${checks.length === 0 ? '' : `: check ${list}`}`;
}
