import { wasAlreadySo } from '@libs/order-drafts';
import {
  LastErrorCode,
  retcodeClass,
  retcodeName,
  type OrderSendResult,
  type SendOutcome,
} from '@libs/terminal-client';
import type { SettledOutcome, TradePurpose } from '../trade-core/journal-records';

/** The terminal rejects these parameters, or every order of a program (-8): sending again changes nothing. */
const rejectedByTerminal: ReadonlySet<number> = new Set([
  LastErrorCode.INVALID_PARAMS,
  LastErrorCode.AUTO_TRADING_DISABLED,
]);

/** The outcome of one send. The retcode decides; an outcome that it does not prove stays unknown. */
export function classifySend(purpose: TradePurpose, outcome: SendOutcome): SettledOutcome {
  switch (outcome.kind) {
    case 'answered':
      return classifyAnswer(purpose, outcome.result, 'answer');
    case 'refused':
      return rejectedByTerminal.has(outcome.lastError.code)
        ? { kind: 'rejected', result: null, lastError: outcome.lastError }
        : { kind: 'not_sent', reason: outcome.lastError.message, lastError: outcome.lastError };
    case 'unknown':
      return { kind: 'unknown', reason: outcome.reason, result: null, lastError: outcome.lastError };
  }
}

/** As above, from an answer alone, on time or late. */
export function classifyAnswer(
  purpose: TradePurpose,
  result: OrderSendResult,
  source: 'answer' | 'late_answer',
): SettledOutcome {
  if (wasAlreadySo(purpose, result.retcode)) return { kind: 'done', result, source };
  switch (retcodeClass(result.retcode)) {
    case 'done':
      return { kind: 'done', result, source };
    case 'rejected':
      return { kind: 'rejected', result, lastError: null };
    case 'unknown':
      return {
        kind: 'unknown',
        reason: `the server answered ${retcodeName(result.retcode)}`,
        result,
        lastError: null,
      };
  }
}
