import type { AuditLines } from '../audit/audit-lines';
import type { JournalMark } from '../audit/journal-mark';

/** What the end of the audit log proves about the journal. */
export interface AuditEvidence {
  /** The mark of the newest line that has one. */
  readonly mark: JournalMark | null;
  /** UTC milliseconds of the newest intent; null if there is none. */
  readonly lastIntentMs: number | null;
}

const none: AuditEvidence = { mark: null, lastIntentMs: null };

/** @param lines newest first; without lines there is no evidence */
export function auditEvidence(lines: AuditLines): AuditEvidence {
  let evidence = none;
  for (const line of lines) {
    const { journal_id: id, journal_sequence: sequence, event, timestamp } = line;
    if (evidence.mark === null && typeof id === 'string' && typeof sequence === 'number') {
      evidence = { ...evidence, mark: { id, sequence } };
    }
    if (evidence.lastIntentMs === null && event === 'intent' && typeof timestamp === 'string') {
      evidence = { ...evidence, lastIntentMs: Date.parse(timestamp) };
    }
    if (evidence.mark !== null && evidence.lastIntentMs !== null) break;
  }
  return evidence;
}
