import type { AuditLines } from '../audit/audit-lines';
import type { JournalMark } from '../audit/audit-record';
import { lineAges } from './line-ages';

/** What the end of the audit log proves about the journal. */
export interface AuditEvidence {
  /** The mark of the newest line that has one. */
  readonly mark: JournalMark | null;
  /** Age of the newest intent, as by {@link lineAges}; null if there is none. */
  readonly lastIntentAgeMs: number | null;
}

/**
 * @param lines newest first; without lines there is no evidence
 * @param nowMs UTC milliseconds
 */
export function auditEvidence(lines: AuditLines, nowMs: number): AuditEvidence {
  const [mark = null] = lines.flatMap(({ journal_id: id, journal_sequence: sequence }) =>
    typeof id === 'string' && typeof sequence === 'number' ? [{ id, sequence }] : [],
  );
  const newest = lines.findIndex(({ event }) => event === 'intent');
  return { mark, lastIntentAgeMs: lineAges(lines, nowMs)[newest] ?? null };
}
