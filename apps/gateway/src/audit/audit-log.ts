import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import type { FileFacts, Files, OpenFile } from '@libs/files';
import type { auditFields, RecordOf } from '@libs/records';
import { auditLine, type AuditEvent } from './audit-event';
import {
  flushedRotatedTail,
  newestRecordOf,
  newestRotatedTail,
  readAuditLinesOf,
  readLastAuditLines,
  readRecentAuditLines,
  type AuditLines,
  type KeyedAuditLines,
  type RecentAuditLines,
} from './audit-lines';
import type { AuditFindings } from './audit-check';
import type { AuditRecord, AuditRecords, StampedEvent } from './audit-record';
import { readTail } from './audit-tail';
import { isPassing, probeDiskOf } from './disk-probe';
import { LineProgress, type Entry } from './line-progress';
import { verifyAuditLog } from './verify-audit-log';

/** Whether lines can be written, as /health reports it. */
export type AuditLogStatus = Readonly<RecordOf<typeof auditFields>>;

/** An event that the journal did not take. */
interface DirectEntry extends Entry {
  /** Kept in memory and written later if it cannot be written now. */
  readonly keep: boolean;
  /** The last record of the journal before it. */
  readonly afterRecord: number;
}

/** Waits for a write: of one event, or of the records that the journal has now. */
interface Waiting {
  readonly direct: DirectEntry | null;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

interface LogFile {
  readonly handle: OpenFile;
  readonly identity: string;
  sequence: number;
  timestampMs: number;
  /** Running time of the last line. */
  runningMs: number;
  /** The last line has no line break; the next write adds it. */
  torn: boolean;
}

/** The most lines kept in memory while the file cannot be written: some megabytes. */
const mostKept = 10_000;
/** Ticks between two probes while the last one succeeded. */
const ticksBetweenProbes = 3;

/**
 * The append-only order audit log: one line per event, and nothing is overwritten. Its lines are those of the journal's
 * records, which are on disk already, so it is flushed about every second. An event that the journal did not take is
 * flushed at once. The log follows its path: after its file was moved, deleted or replaced, it continues in the file that
 * is at the path now, with the next number.
 */
export class AuditLog {
  private waiting: Waiting[] = [];
  /** In event order. */
  private kept: DirectEntry[] = [];
  private records: AuditRecords | null = null;
  private readonly progress = new LineProgress();
  private file: LogFile | null = null;
  /** The last line of any file of this log. */
  private last = { sequence: 0, timestampMs: 0 };
  /** Running time of the log at the start of the monotonic clock; null until its file was read. */
  private runningFromMs: number | null = null;
  /** Whether it is known which records of the journal have a line. */
  private isPlaced = false;
  private syncing: Promise<unknown> | null = null;
  private syncError: { readonly error: unknown } | null = null;
  private error: string | null = null;
  private missing: string | null = null;
  /** Number of the last line that an earlier process wrote, if the log lacks it or was not read yet. */
  private expected = 0;
  private flushing: Promise<void> | null = null;
  private verifying: Promise<AuditFindings> | null = null;
  private ticks = 0;
  private closed = false;

  constructor(
    private readonly files: Files,
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens the log and checks that its disk accepts writes. A full or read-only disk is not an error: the log is then
   * unavailable until it can be written.
   * @throws an error of the file system for a path that cannot be opened at all
   */
  async open(): Promise<void> {
    try {
      await this.current();
      await probeDiskOf(this.files, this.path);
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.error = systemErrorText(error);
    }
  }

  get status(): AuditLogStatus {
    const { error, missing } = this;
    return error === null ? { state: 'ok', error, missing } : { state: 'unavailable', error, missing };
  }

  /** Number of the last line that is known to be on disk. */
  get lastSequence(): number {
    return this.isRead ? this.progress.sequenceOnDisk : this.expected;
  }

  /** The journal's record of the last line on disk: it and those before it are not needed any more. */
  get flushedRecord(): number {
    return this.progress.recordOnDisk;
  }

  /** An event with the times of its line. */
  stamped(event: AuditEvent): StampedEvent {
    const runningMs = Math.floor((this.runningFromMs ?? 0) + this.clock.monotonicMs());
    return { event, atMs: this.clock.nowMs(), runningMs };
  }

  /** Records without a line. */
  get behind(): number {
    return this.records === null ? 0 : this.records.last - this.progress.record;
  }

  /**
   * From now on, each record of the journal becomes a line. Call after {@link open}, and before the journal's first record of
   * this process.
   */
  follow(records: AuditRecords): void {
    this.records = records;
    this.isPlaced = false;
    this.progress.startAt(records.flushed);
  }

  /** No record becomes a line any more. */
  unfollow(): void {
    this.records = null;
  }

  /**
   * The file, once the last record with a line on disk is known: a crash may have come between a flush and the journal's note of it.
   * @throws an error of the file system, of an earlier flush as well
   */
  private async placed(): Promise<LogFile> {
    this.failAfterSync();
    const file = await this.current();
    const { records } = this;
    if (records === null || this.isPlaced) return file;
    const newest = await newestRecordOf(this.files, this.path, file.handle, records.journalId);
    if (newest !== null) this.progress.startAt(Math.max(records.flushed, records.placeOf(newest)));
    this.isPlaced = true;
    return file;
  }

  /** Whether the file was read since the start. */
  private get isRead(): boolean {
    return this.runningFromMs !== null;
  }

  /**
   * Compares the log with the number of the last line that an earlier process wrote, once it can be read. Call after {@link open},
   * before the first line. New lines continue the log as it is, so that a gap in the numbers always means lines that were taken out
   * of it.
   */
  expect(sequence: number): void {
    if (this.isRead && sequence <= this.last.sequence) return;
    this.expected = sequence;
    if (this.isRead) this.missing = endMissing(this.last.sequence, sequence);
  }

  /**
   * The newest lines of the file, newest first, as {@link readLastAuditLines} reads them.
   * @throws an error of the file system if the log cannot be read
   */
  lastLines(reach: 'recent' | 'wide', isWanted: (text: string) => boolean = () => true): Promise<AuditLines> {
    return readLastAuditLines(this.files, this.path, reach, isWanted);
  }

  /** The lines of an idempotency key. @throws an error of the file system if the log cannot be read */
  async linesOf(key: string): Promise<KeyedAuditLines> {
    const found = await readAuditLinesOf(this.files, this.path, key, this.hasLines);
    return { ...found, complete: found.complete && this.missing === null };
  }

  /**
   * The newest lines that have a text in some member.
   * @param holds empty for every line
   * @throws an error of the file system if the log cannot be read
   */
  async recentLines(holds: string): Promise<RecentAuditLines> {
    const found = await readRecentAuditLines(this.files, this.path, holds, this.hasLines);
    return { ...found, complete: found.complete && this.missing === null };
  }

  private get hasLines(): boolean {
    return Math.max(this.last.sequence, this.lastSequence) > 0;
  }

  /**
   * Checks the whole file; calls during a check share it.
   * @param running returns whether the request of an intent is running now
   * @throws an error of the file system if the log cannot be read
   */
  verify(running: () => (intentId: string) => boolean): Promise<AuditFindings> {
    this.verifying ??= verifyAuditLog(
      this.files,
      this.path,
      running,
      Math.max(this.last.sequence, this.expected),
    ).finally(() => (this.verifying = null));
    return this.verifying;
  }

  /** Writes one event; resolves once it is on disk, rejects if it could not be written. */
  append(event: AuditEvent): Promise<void> {
    return this.enqueue(this.direct(event, false));
  }

  /** Writes one event now or, if that fails, as soon as it is possible. @returns whether it is on disk now */
  keep(event: AuditEvent): Promise<boolean> {
    return succeeds(this.enqueue(this.direct(event, true)));
  }

  /** Writes the lines of the records that the journal has now. @returns whether they are in the file; its flush follows */
  caughtUp(): Promise<boolean> {
    return succeeds(this.enqueue(null));
  }

  /** Writes the lines of the records that the journal has now, and flushes all lines. Never rejects. */
  async flushed(): Promise<void> {
    await this.caughtUp();
    await this.tick();
    await this.syncing;
  }

  /** Checks whether the log can be written, and writes the kept lines. Call about every second. */
  tick(): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.ticks += 1;
    return (this.flushing ??= this.flush(true));
  }

  /** Waits for the lines in flight and closes the file; a line that comes later opens it again. */
  async close(): Promise<void> {
    this.closed = true;
    await this.flushing;
    await this.release();
  }

  private direct(event: AuditEvent, keep: boolean): DirectEntry {
    return { stamped: this.stamped(event), record: null, keep, afterRecord: this.records?.last ?? 0 };
  }

  private enqueue(direct: DirectEntry | null): Promise<void> {
    const written = new Promise<void>((resolve, failed) => this.waiting.push({ direct, written: resolve, failed }));
    this.flushing ??= this.flush();
    return written;
  }

  private async flush(alsoWithoutLines = false): Promise<void> {
    // One turn later, so that events of the same turn go out together.
    await Promise.resolve();
    for (let isDue = alsoWithoutLines; isDue || this.waiting.length > 0; isDue = false) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        const direct = batch.flatMap((waiting) => waiting.direct ?? []);
        if (batch.length > 0 || this.kept.length > 0 || this.behind > 0) await this.write(direct, alsoWithoutLines);
        else await this.maintain();
        this.error = null;
        for (const { written } of batch) written();
      } catch (error) {
        this.error = systemErrorText(error);
        await this.release('unflushed');
        const toKeep = batch.flatMap(({ direct }) => (direct?.keep ? [direct] : []));
        this.kept.push(...toKeep.slice(0, mostKept - this.kept.length));
        for (const { failed } of batch) failed(error);
      }
    }
    if (this.closed && this.file) {
      await this.release();
      if (this.waiting.length > 0) return this.flush();
    }
    // In the turn that found `waiting` empty, so that a later line starts a flush of its own.
    this.flushing = null;
  }

  /** Without lines to write: flushes, and finds out whether the disk takes lines. */
  private async maintain(): Promise<void> {
    const file = await this.placed();
    this.startSync(file);
    if (this.error !== null || this.ticks % ticksBetweenProbes === 0) await probeDiskOf(this.files, this.path);
  }

  /** Writes the records that have no line, what was kept, and the given events: in the order in which they happened. */
  private async write(direct: readonly DirectEntry[], alsoFlush: boolean): Promise<void> {
    const file = await this.placed();
    const events = [...this.kept, ...direct];
    const entries = inOrder(this.records?.after(this.progress.record) ?? [], events);
    // What was not writable is not so again because there is nothing to write.
    if (entries.length === 0 && this.error !== null) await probeDiskOf(this.files, this.path);
    await this.appendLines(file, entries);
    if (events.length > 0) await this.flushLines(file);
    else if (alsoFlush) this.startSync(file);
    this.kept = [];
  }

  private async appendLines(file: LogFile, entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const lines = entries.map(({ stamped: { event, atMs, runningMs }, record }) => {
      // The wall clock may be set back; the log's time never goes back.
      file.timestampMs = Math.max(file.timestampMs, atMs);
      file.runningMs = Math.max(file.runningMs, runningMs);
      const id = record === null ? null : `${this.records?.series}/${record}`;
      const line = auditLine(new Date(file.timestampMs).toISOString(), file.sequence + 1, event, file.runningMs, id);
      file.sequence++;
      return `${line}\n`;
    });
    this.progress.appending(entries, file.identity, file.sequence - lines.length);
    await file.handle.appendFile(`${file.torn ? '\n' : ''}${lines.join('')}`);
    file.torn = false;
    this.last = { sequence: file.sequence, timestampMs: file.timestampMs };
    this.progress.appended(entries);
  }

  /** Flushes what was written so far, while more lines are written. An error of it is that of the next write. */
  private startSync(file: LogFile): void {
    if (this.syncing !== null || this.progress.unflushed === null) return;
    const point = this.progress.flushing(file.sequence);
    this.syncing = file.handle
      .datasync()
      .then(() => this.progress.flushed(point))
      .catch((error: unknown) => {
        this.syncError = { error };
        this.error = systemErrorText(error);
      })
      .finally(() => (this.syncing = null));
  }

  /** Flushes what was written so far. @throws an error of the file system, of an earlier flush as well */
  private async flushLines(file: LogFile): Promise<void> {
    await this.syncing;
    this.failAfterSync();
    if (this.progress.unflushed === null) return;
    const point = this.progress.flushing(file.sequence);
    await file.handle.datasync();
    this.progress.flushed(point);
  }

  private failAfterSync(): void {
    const failed = this.syncError;
    this.syncError = null;
    if (failed) throw failed.error;
  }

  /** The file that is at the path now. */
  private async current(): Promise<LogFile> {
    if (this.file && (await this.identityAtPath()) !== this.file.identity) await this.release();
    if (this.file) return this.file;
    const file = await this.opened();
    await this.settleUnflushed(file);
    file.sequence = Math.max(file.sequence, this.last.sequence);
    file.timestampMs = Math.max(file.timestampMs, this.last.timestampMs);
    // A write that failed may have added lines; a new file continues after them.
    this.last = { sequence: file.sequence, timestampMs: file.timestampMs };
    this.progress.read(file.sequence);
    if (!this.isRead) {
      if (this.expected > file.sequence) this.missing = endMissing(file.sequence, this.expected);
      this.runningFromMs = file.runningMs - this.clock.monotonicMs();
    }
    return (this.file = file);
  }

  /** At a start after a rotation, a new file continues after the newest rotated one: its numbers and times order the files. */
  private async opened(): Promise<LogFile> {
    const file = await openLog(this.files, this.path);
    return orClose(file.handle, async () => {
      if (file.sequence < this.last.sequence) await this.checkRotated(file.sequence);
      if (this.isRead || file.sequence > 0) return file;
      return { ...file, ...(await newestRotatedTail(this.files, this.path)), torn: file.torn };
    });
  }

  /** The lines that the file at the path lacks are in a rotated file, or gone. @param sequence of its last line */
  private async checkRotated(sequence: number): Promise<void> {
    const rotated = await newestRotatedTail(this.files, this.path);
    const end = Math.max(sequence, rotated?.sequence ?? 0);
    if (end < this.last.sequence) this.missing = endMissing(end, this.last.sequence);
  }

  /**
   * Finds out which of the lines since the last flush the log has, and flushes them; the number of the last line shows it. What
   * it lacks is written again: events that were kept, and records. The file is flushed wherever it was moved to: until then a
   * crash may take its lines.
   * @throws an error of the file system if it cannot be flushed
   */
  private async settleUnflushed(file: LogFile): Promise<void> {
    const lines = this.progress.unflushed;
    if (lines === null) return;
    const last = await orClose(file.handle, () => this.flushedEnd(lines.identity, lines.after, file));
    file.sequence = Math.max(file.sequence, last);
    const written = this.progress.foundAgain(last);
    this.kept = this.kept.filter(({ stamped }) => !written.has(stamped));
  }

  /** Flushes the file of lines. @returns the number of its last line; 0 if the file is gone */
  private async flushedEnd(identity: string, after: number, file: LogFile): Promise<number> {
    if (identity === file.identity) {
      if (file.sequence > after) await file.handle.datasync();
      return file.sequence;
    }
    const isWanted = (facts: FileFacts): boolean => identityOf(facts) === identity;
    return (await flushedRotatedTail(this.files, this.path, isWanted))?.sequence ?? 0;
  }

  /** Identifies a file regardless of its name; null if none is at the path. */
  private async identityAtPath(): Promise<string | null> {
    const found = await this.files.stat(this.path, { bigint: true }).catch(() => null);
    return found && identityOf(found);
  }

  /**
   * Closes the file, usually after a flush. If it is not flushed, that is done when it is opened again. After a write that failed,
   * the number of lines in it is not known.
   */
  private async release(state: 'flushed' | 'unflushed' = 'flushed'): Promise<void> {
    const file = this.file;
    this.file = null;
    await this.syncing;
    if (file === null) return;
    if (state === 'flushed') await this.flushLines(file).catch(() => undefined);
    await file.handle.close().catch(() => undefined);
  }
}

function inOrder(records: readonly AuditRecord[], events: readonly DirectEntry[]): Entry[] {
  const entries = [
    ...records.map((record) => ({ stamped: record, record: record.number, place: record.number })),
    ...events.map((entry) => ({ ...entry, place: entry.afterRecord + 0.5 })),
  ];
  return entries.sort((one, other) => one.place - other.place);
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function endMissing(end: number, written: number): string {
  const lines = end + 1 === written ? `line ${written} was` : `lines ${end + 1} to ${written} were`;
  return `${lines} written and can be read in no file of the log`;
}

async function openLog(files: Files, path: string): Promise<LogFile> {
  await files.mkdir(dirname(path), { recursive: true });
  const handle = await files.open(path, 'a+', 0o600);
  return orClose(handle, async () => {
    const [facts, tail] = [await handle.stat({ bigint: true }), await readTail(handle)];
    // What a process that was killed has written is read before it is on disk.
    if (facts.size > 0n) await handle.datasync();
    return { handle, identity: identityOf(facts), ...tail };
  });
}

/** Does work with a file that stays open only if it succeeds. */
async function orClose<T>(handle: OpenFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function identityOf({ dev, ino }: FileFacts): string {
  return `${dev}:${ino}`;
}
