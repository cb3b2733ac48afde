import type { AuditEvent } from './audit-event';

/** An event, and when it happened. */
export interface StampedEvent {
  readonly event: AuditEvent;
  /** UTC milliseconds. */
  readonly atMs: number;
  /** For how long gateways had run with the log, in milliseconds. */
  readonly runningMs: number;
}

/** An event of the journal. Its number is above that of each earlier one. */
export interface AuditRecord extends StampedEvent {
  readonly number: number;
}

/** The journal at the time of a line, and how much of it was on disk. */
export interface JournalMark {
  readonly id: string;
  /** Sequence number of its last durable commit. */
  readonly sequence: number;
}

/** The records of a journal, which become the lines of the audit log. */
export interface AuditRecords {
  /** Names them on their lines; a journal whose later records were lost continues under another name. */
  readonly series: string;
  /** Number of the last record on disk; 0 if there was none. */
  readonly last: number;
  /** Number of the last record whose line was on disk when the journal was written last. */
  readonly flushed: number;
  /** Begins the names of its records, of every series. */
  readonly journalId: string;
  /**
   * The number of the journal's newest record that has a line, as the line names it. Those up to it have lines as well. Call once,
   * before the first line of this process: if the journal lacks the record, its next ones belong to another series.
   */
  placeOf(record: string): number;
  /** The records after a number, oldest first. */
  after(number: number): readonly AuditRecord[];
}
