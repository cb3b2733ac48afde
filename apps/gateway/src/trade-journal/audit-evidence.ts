import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { JournalMark } from '../audit/journal-mark';

/** What the end of the audit log says about the journal beside it. */
export interface AuditEvidence {
  /** The mark of the newest line that has one. */
  readonly mark: JournalMark | null;
  /** UTC milliseconds of the newest intent; null without one. */
  readonly lastIntentMs: number | null;
}

const windowBytes = 4 * 1024 * 1024;
const none: AuditEvidence = { mark: null, lastIntentMs: null };

/** Reads the end of an audit log. One that does not exist or cannot be read is no evidence. */
export function readAuditEvidence(path: string): AuditEvidence {
  let evidence = none;
  for (const line of linesFromTheEnd(path)) {
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

function* linesFromTheEnd(path: string): Generator<Readonly<Record<string, unknown>>> {
  for (const text of readEnd(path).split('\n').reverse()) {
    const line = parsed(text);
    if (line !== null) yield line;
  }
}

function readEnd(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const start = Math.max(0, size - windowBytes);
      const buffer = Buffer.alloc(size - start);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? { ...line } : null;
  } catch {
    return null;
  }
}
