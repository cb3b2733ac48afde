import type { SessionState } from '../terminal-session/session-state';
import type { AccountEvidence } from './account-evidence';

/** State of the session as users see it: `synchronizing` while it is connected and its account is not explained. */
export type TerminalStatus = SessionState | 'synchronizing';

export function terminalStatus(state: SessionState, evidence: Pick<AccountEvidence, 'isExplained'>): TerminalStatus {
  return state === 'connected' && !evidence.isExplained ? 'synchronizing' : state;
}
