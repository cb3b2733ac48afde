import type { StampedEvent } from './audit-record';

/** An event that is to be a line. */
export interface Entry {
  readonly stamped: StampedEvent;
  /** The number of its record; null for an event that the journal did not take. */
  readonly record: number | null;
}

/** Lines since the last flush: a crash may take them, and after a write that failed some of them may be missing. */
interface Unflushed {
  /** The file that they are in. */
  readonly identity: string;
  /** Number of the line before the first of them. */
  readonly after: number;
  /** The record of the last line before them. */
  readonly afterRecord: number;
  readonly entries: readonly Entry[];
}

/** What a flush puts on disk: the lines up to a number. */
export interface FlushPoint {
  readonly sequence: number;
  readonly record: number;
  /** Of the lines since the flush before it. */
  readonly lines: number;
}

/** Which records have a line, and which lines are on disk, by what was written, flushed and found again. Without I/O. */
export class LineProgress {
  private lastRecord = 0;
  private flushedRecord = 0;
  private flushedSequence = 0;
  private lines: Unflushed | null = null;

  /** The record of the last line. */
  get record(): number {
    return this.lastRecord;
  }

  /** The record of the last line on disk. */
  get recordOnDisk(): number {
    return this.flushedRecord;
  }

  /** Number of the last line on disk. */
  get sequenceOnDisk(): number {
    return this.flushedSequence;
  }

  get unflushed(): Pick<Unflushed, 'identity' | 'after'> | null {
    return this.lines;
  }

  /** The log has the lines of the records up to this one, on disk. */
  startAt(record: number): void {
    this.lastRecord = this.flushedRecord = record;
  }

  /** The file was read up to this line, and is on disk. */
  read(sequence: number): void {
    this.flushedSequence = sequence;
  }

  /** Lines are about to be appended. @param after number of the line before them */
  appending(entries: readonly Entry[], identity: string, after: number): void {
    const before = this.lines ?? { identity, after, afterRecord: this.lastRecord, entries: [] };
    this.lines = { ...before, entries: [...before.entries, ...entries] };
  }

  appended(entries: readonly Entry[]): void {
    this.lastRecord = lastRecordOf(entries, this.lastRecord);
  }

  /** A flush begins. @param sequence number of the last line */
  flushing(sequence: number): FlushPoint {
    return { sequence, record: this.lastRecord, lines: this.lines?.entries.length ?? 0 };
  }

  flushed({ sequence, record, lines }: FlushPoint): void {
    const left = this.lines?.entries.slice(lines) ?? [];
    this.lines =
      this.lines && left.length > 0 ? { ...this.lines, after: sequence, afterRecord: record, entries: left } : null;
    this.flushedSequence = sequence;
    this.flushedRecord = record;
  }

  /**
   * The file of the unflushed lines was read again and flushed. What it lacks has no line.
   * @param last number of its last line
   * @returns the events that it has
   */
  foundAgain(last: number): ReadonlySet<StampedEvent> {
    const { entries, after, afterRecord } = this.lines ?? { entries: [], after: last, afterRecord: this.lastRecord };
    const written = entries.slice(0, Math.max(0, last - after));
    this.lastRecord = this.flushedRecord = lastRecordOf(written, afterRecord);
    this.lines = null;
    return new Set(written.map(({ stamped }) => stamped));
  }
}

function lastRecordOf(entries: readonly Entry[], before: number): number {
  return entries.reduce((last, { record }) => Math.max(last, record ?? 0), before);
}
