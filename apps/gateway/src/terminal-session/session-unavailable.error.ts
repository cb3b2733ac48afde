import { problemText, settingsToCheck, type SessionProblem } from './session-problem';
import type { SessionState } from './session-state';

export type UnavailableReason = Exclude<SessionState, 'connected'>;

const words: Record<UnavailableReason, string> = {
  disconnected: 'the terminal is not logged in',
  connecting: 'the login to the terminal is in progress',
  reconnecting: 'the session with the terminal was lost and is being restored',
  cooldown: 'there is no session with the terminal',
};

/** There is no verified session at this moment; nothing was sent to the terminal. */
export class SessionUnavailableError extends Error {
  constructor(
    readonly reason: UnavailableReason,
    /** Why the last attempt failed or the session ended; null if that is not known. */
    readonly problem: SessionProblem | null = null,
    /** Retry-After: whole seconds, rounded up, at least 1. */
    readonly retryAfterSeconds?: number,
    /** The settings without which no login is made, by name. */
    private readonly missing: readonly string[] = [],
  ) {
    super(textOf(reason, problem, missing));
    this.name = 'SessionUnavailableError';
  }

  /** The settings to set or to check, by name. */
  get settings(): readonly string[] {
    return [...new Set([...this.missing, ...(this.problem === null ? [] : settingsToCheck(this.problem))])];
  }
}

function textOf(reason: UnavailableReason, problem: SessionProblem | null, missing: readonly string[]): string {
  const why = problem === null ? '' : `: ${problemText(problem)}`;
  const next = reason === 'cooldown' ? '; the next attempt follows the cooldown' : '';
  const manual =
    missing.length === 0 ? 'log in at the terminal' : `set ${missing.join(', ')}, or log in at the terminal`;
  return `${words[reason]}${why}${reason === 'disconnected' ? `; ${manual}` : next}`;
}
