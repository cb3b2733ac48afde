import { isLinkFailure, LastErrorCode, type TerminalFailure, TerminalUnavailableError } from '../last-error';
import type { CallOutcome } from './link-connection';
import type { LinkErrorKind } from './link-protocol';

/** The value of a read. @throws TerminalUnavailableError if the call returned no readable value */
export function resultOf<T>(outcome: CallOutcome, parse: (value: unknown) => T): T {
  switch (outcome.kind) {
    case 'result':
      return parseAnswer(outcome.result, parse);
    case 'error': {
      const { code, message, data } = outcome.error;
      const failure = data?.kind === 'busy' ? 'busy' : isLinkFailure(code) ? 'disconnected' : portFailure(data?.kind);
      throw new TerminalUnavailableError(failure, { code, message });
    }
    case 'not-sent':
    case 'no-answer':
      throw new TerminalUnavailableError(outcome.failure, outcome.lastError);
  }
}

function parseAnswer<T>(value: unknown, parse: (value: unknown) => T): T {
  try {
    return parse(value);
  } catch (error) {
    const message = `the terminal's answer cannot be read: ${error instanceof Error ? error.message : 'unknown'}`;
    throw new TerminalUnavailableError('failed', { code: LastErrorCode.FAIL, message });
  }
}

function portFailure(kind: LinkErrorKind | undefined): TerminalFailure {
  return kind === 'disconnected' || kind === 'timeout' ? kind : 'failed';
}
