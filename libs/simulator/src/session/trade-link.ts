import type { Clock } from '@libs/clock';
import {
  type JournaledRequest,
  type LastError,
  LastErrorCode,
  type LateOutcome,
  type OrderSendResult,
  type SendOutcome,
  type TradeRequest,
} from '@libs/terminal-client';
import type { Faults } from './fault';
import type { Terminal } from './terminal';

/** Longest comment and symbol that the terminal's package sends, in UTF-16 units. */
const longestText = 29;
const connectFailed: LastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'No IPC connection' };
const receiveFailed: LastError = { code: LastErrorCode.INTERNAL_FAIL_RECEIVE, message: 'IPC recv failed' };
const broken: LastError = { code: LastErrorCode.FAIL, message: 'Terminal: Call failed' };
const closedToPrograms: LastError = {
  code: LastErrorCode.AUTO_TRADING_DISABLED,
  message: 'Auto-Trading using Python API disabled in Terminal',
};
const timedOut: LastError = { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT, message: 'IPC timeout' };

/** The way of one send from a session to the server and back. */
export interface TradeLink {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly isAttached: () => boolean;
  /** The connection is lost. */
  readonly drop: (reason: string) => void;
  /** The answer came after all. */
  readonly late: (outcome: LateOutcome) => void;
}

/** Sends one request once, through whatever faults are in force. */
export async function sendThrough({ request }: JournaledRequest, link: TradeLink): Promise<SendOutcome> {
  const { terminal, clock } = link;
  const { faults } = terminal;
  if (!link.isAttached() || !terminal.isReachable || terminal.loggedIn === null) {
    return { kind: 'refused', lastError: connectFailed };
  }
  const malformed = malformation(request);
  if (malformed) return { kind: 'refused', lastError: invalidParams(malformed) };
  if (terminal.isClosedToPrograms) return bringBack({ kind: 'refused', lastError: closedToPrograms }, link);

  const latencyMs = terminal.latencyMs('sends');
  if (latencyMs > 0) await clock.sleep(latencyMs);
  if (!link.isAttached() || faults.strike('drop-before-send')) {
    link.drop('the connection dropped before the server acted');
    return { kind: 'unknown', reason: 'the connection dropped during the send', lastError: receiveFailed };
  }
  if (!terminal.canTrade) return { kind: 'refused', lastError: broken };
  let result: OrderSendResult;
  try {
    result = terminal.trade(request);
  } catch (error) {
    // The server may have acted before any internal error.
    const reason = error instanceof Error ? error.message : 'the simulator failed';
    return { kind: 'unknown', reason, lastError: broken };
  }
  if (faults.strike('drop-after-send')) {
    link.drop('the connection dropped before the answer');
    return { kind: 'unknown', reason: 'the connection dropped during the send', lastError: receiveFailed };
  }
  return bringBack({ kind: 'answered', result }, link);
}

/** The way back of an answer, or of the terminal's own refusal. */
async function bringBack(outcome: LateOutcome, { terminal, clock, timeoutMs, late }: TradeLink): Promise<SendOutcome> {
  const { faults } = terminal;
  const answer = acknowledged(outcome, faults);
  const lost = faults.strike('lose-answer');
  if (!lost) return answer;
  if (lost.lateMs !== undefined) clock.setTimer(lost.lateMs, () => late(answer));
  await clock.sleep(timeoutMs);
  return { kind: 'unknown', reason: 'no answer to the send', lastError: timedOut };
}

/** Whether it arrives in time or late, an acknowledgement may lack price, deal and order. */
function acknowledged(outcome: LateOutcome, faults: Faults): LateOutcome {
  const zero = outcome.kind === 'answered' && faults.strike('zero-ack');
  if (outcome.kind === 'refused' || !zero) return outcome;
  return { kind: 'answered', result: { ...outcome.result, price: 0, deal: 0, ...(zero.bare && { order: 0 }) } };
}

export function invalidParams(message: string): LastError {
  return { code: LastErrorCode.INVALID_PARAMS, message };
}

/** What the terminal's own door refuses before anything is sent. */
export function malformation(request: TradeRequest): string | null {
  for (const field of ['comment', 'symbol'] as const) {
    if (request[field].length > longestText) return `Invalid "${field}" argument`;
  }
  if (Object.values(request).every(isFit)) return null;
  const [field] = Object.entries(request).find(([, value]) => !isFit(value)) ?? [];
  return `Invalid "${field}" argument`;
}

function isFit(value: unknown): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}
