import type { AuditLines } from '../audit/audit-lines';
import type { JournalMark } from '../audit/journal-mark';
import { lineAges } from './line-ages';

/** What the end of the audit log proves about the journal. */
export interface AuditEvidence {
  /** The mark of the newest line that has one. */
  readonly mark: JournalMark | null;
  /** Age of the newest intent, as by {@link lineAges}; null if there is none. */
  readonly lastIntentAgeMs: number | null;
}

const none: AuditEvidence = { mark: null, lastIntentAgeMs: null };

/**
 * @param lines newest first; without lines there is no evidence
 * @param nowMs UTC milliseconds
 */
export function auditEvidence(lines: AuditLines, nowMs: number): AuditEvidence {
  let evidence = none;
  const ages = lineAges(lines, nowMs);
  for (const [index, line] of lines.entries()) {
    const { journal_id: id, journal_sequence: sequence, event } = line;
    if (evidence.mark === null && typeof id === 'string' && typeof sequence === 'number') {
      evidence = { ...evidence, mark: { id, sequence } };
    }
    if (evidence.lastIntentAgeMs === null && event === 'intent') {
      evidence = { ...evidence, lastIntentAgeMs: ages[index] ?? null };
    }
    if (evidence.mark !== null && evidence.lastIntentAgeMs !== null) break;
  }
  return evidence;
}
