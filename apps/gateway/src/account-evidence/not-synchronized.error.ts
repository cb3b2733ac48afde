import type { Unexplained } from '@libs/account-evidence';
import { LastErrorCode, TerminalUnavailableError } from '@libs/terminal-client';

/** A list of the terminal that nothing explains, which is a failed read. */
export class NotSynchronizedError extends TerminalUnavailableError {
  constructor(
    readonly reason: string,
    readonly unexplained: readonly Unexplained[] = [],
  ) {
    super('failed', { code: LastErrorCode.FAIL, message: `the account is not synchronized: ${reason}` });
    this.name = 'NotSynchronizedError';
  }

  /** Tickets of the rows in question, each once. */
  get tickets(): readonly number[] {
    return [...new Set(this.unexplained.flatMap(({ ticket }) => (ticket === null ? [] : [ticket])))];
  }
}

/**
 * The error of a list that is not explained.
 * @param problem why the account could not be looked at; null if that is not the reason
 */
export function notSynchronized(
  unexplained: readonly Unexplained[],
  problem: string | null = null,
): NotSynchronizedError {
  const [first] = unexplained;
  const more = unexplained.length > 1 ? ` (and ${unexplained.length - 1} more)` : '';
  const unread =
    problem === null ? 'the lists of the terminal were not read yet' : `no look at it succeeded: ${problem}`;
  return new NotSynchronizedError(`${first?.message ?? unread}${more}`, unexplained);
}
