import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import { codeOf, type FileFacts, type Files, type OpenFile } from '@libs/files';
import { auditLine, type AuditEvent } from './audit-event';
import {
  flushedRotatedTail,
  newestRotatedTail,
  readAuditLinesOf,
  readLastAuditLines,
  type AuditLines,
  type KeyedAuditLines,
} from './audit-lines';
import type { AuditFindings } from './audit-check';
import { readTail } from './audit-tail';
import { probePath } from './probe-path';
import { verifyAuditLog } from './verify-audit-log';

/** Whether lines can be written; `error` states why not. */
export interface AuditLogStatus {
  readonly state: 'ok' | 'unavailable';
  readonly error: string | null;
  /** Which lines were written and are in no file of the log; null if none is missing. */
  readonly missing: string | null;
}

interface Entry {
  readonly event: AuditEvent;
  readonly atMs: number;
  readonly monotonicMs: number;
  /** Kept in memory and written later if it cannot be written now. */
  readonly keep: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

interface LogFile {
  readonly handle: OpenFile;
  readonly identity: string;
  sequence: number;
  timestampMs: number;
  /** The last line has no line break; the next write adds it. */
  torn: boolean;
}

/** The entries of a write that failed; some of them may be on disk. */
interface FailedWrite {
  readonly identity: string;
  /** Number of the line before the first of them. */
  readonly after: number;
  readonly entries: readonly Entry[];
}

/** The most lines kept in memory while the file cannot be written: some megabytes. */
const mostKept = 10_000;
/** The disk rejects writes for now. Any other error on open means a wrong path or missing permissions. */
const passing = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);
/** More than the lines of one send. */
const probeBytes = 4_096;
/** Ticks between two probes while the last one succeeded. */
const ticksBetweenProbes = 3;

/**
 * The append-only order audit log: one line per event, on disk before the promise resolves. Lines that arrive together
 * share a flush, and nothing is overwritten. The log follows its path: after its file was moved, deleted or replaced,
 * it continues in the file that is at the path now, with the next number.
 */
export class AuditLog {
  private waiting: Entry[] = [];
  /** In event order. */
  private kept: Entry[] = [];
  private file: LogFile | null = null;
  /** The last line of any file of this log. */
  private last = { sequence: 0, timestampMs: 0 };
  /** Running time of the log at the start of the monotonic clock; null until its file was read. */
  private runningFromMs: number | null = null;
  private failedWrite: FailedWrite | null = null;
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
      await this.probe();
    } catch (error) {
      if (!passing.has(codeOf(error))) throw error;
      this.error = systemErrorText(error);
    }
  }

  get status(): AuditLogStatus {
    const { error, missing } = this;
    return error === null ? { state: 'ok', error, missing } : { state: 'unavailable', error, missing };
  }

  /** Number of the last line that is known to be on disk. */
  get lastSequence(): number {
    return this.isRead ? this.last.sequence : this.expected;
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
    const found = await readAuditLinesOf(this.files, this.path, key, this.lastSequence > 0);
    return { ...found, complete: found.complete && this.missing === null };
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
    return new Promise((written, failed) => this.enqueue({ event, keep: false, written, failed }));
  }

  /** Writes one event now or, if that fails, as soon as it is possible. @returns whether it is on disk now */
  keep(event: AuditEvent): Promise<boolean> {
    return new Promise((resolve) => {
      this.enqueue({ event, keep: true, written: () => resolve(true), failed: () => resolve(false) });
    });
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

  private enqueue(entry: Omit<Entry, 'atMs' | 'monotonicMs'>): void {
    this.waiting.push({ ...entry, atMs: this.clock.nowMs(), monotonicMs: this.clock.monotonicMs() });
    this.flushing ??= this.flush();
  }

  private async flush(alsoWithoutLines = false): Promise<void> {
    // One turn later, so that events of the same turn go out together.
    await Promise.resolve();
    for (let isDue = alsoWithoutLines; isDue || this.waiting.length > 0; isDue = false) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.write(batch);
        this.error = null;
        for (const { written } of batch) written();
      } catch (error) {
        this.error = systemErrorText(error);
        await this.release();
        this.kept.push(...batch.filter(({ keep }) => keep).slice(0, mostKept - this.kept.length));
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

  private async write(batch: readonly Entry[]): Promise<void> {
    const file = await this.current();
    const entries = [...this.kept, ...batch];
    const after = file.sequence;
    if (entries.length === 0) {
      if (this.error !== null || this.ticks % ticksBetweenProbes === 0) await this.probe();
      return;
    }
    const runningFromMs = this.runningFromMs ?? 0;
    const lines = entries.map(({ event, atMs, monotonicMs }) => {
      // The wall clock may be set back; the log's time never goes back.
      file.timestampMs = Math.max(file.timestampMs, atMs);
      const runningMs = Math.floor(runningFromMs + monotonicMs);
      return `${auditLine(new Date(file.timestampMs).toISOString(), ++file.sequence, event, runningMs)}\n`;
    });
    this.failedWrite = { identity: file.identity, after, entries };
    await file.handle.appendFile(`${file.torn ? '\n' : ''}${lines.join('')}`);
    await file.handle.datasync();
    this.failedWrite = null;
    file.torn = false;
    this.last = { sequence: file.sequence, timestampMs: file.timestampMs };
    this.kept = [];
  }

  /**
   * Writes a probe file, because a full disk shows only on a write. Any other error does not concern the log, whose
   * folder may accept no other files.
   */
  private async probe(): Promise<void> {
    const path = probePath(this.path);
    try {
      const handle = await this.files.open(path, 'w', 0o600);
      try {
        await handle.appendFile(' '.repeat(probeBytes));
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (passing.has(codeOf(error))) throw error;
    } finally {
      await this.files.rm(path, { force: true }).catch(() => undefined);
    }
  }

  /** The file that is at the path now. */
  private async current(): Promise<LogFile> {
    if (this.file && (await this.identityAtPath()) !== this.file.identity) await this.release();
    if (this.file) return this.file;
    const { runningMs, ...file } = await this.opened();
    await this.settleFailedWrite(file);
    file.sequence = Math.max(file.sequence, this.last.sequence);
    file.timestampMs = Math.max(file.timestampMs, this.last.timestampMs);
    // A write that failed may have added lines; a new file continues after them.
    this.last = { sequence: file.sequence, timestampMs: file.timestampMs };
    if (!this.isRead && this.expected > file.sequence) this.missing = endMissing(file.sequence, this.expected);
    this.runningFromMs ??= runningMs - this.clock.monotonicMs();
    return (this.file = file);
  }

  /** At a start after a rotation, a new file continues after the newest rotated one: its numbers and times order the files. */
  private async opened(): Promise<LogFile & { readonly runningMs: number }> {
    const file = await openLog(this.files, this.path);
    try {
      if (file.sequence < this.last.sequence) await this.checkRotated(file.sequence);
      if (file.sequence > 0 || this.last.sequence > 0) return file;
      return { ...file, ...(await newestRotatedTail(this.files, this.path)), torn: file.torn };
    } catch (error) {
      await file.handle.close();
      throw error;
    }
  }

  /** The lines that the file at the path lacks are in a rotated file, or gone. @param sequence of its last line */
  private async checkRotated(sequence: number): Promise<void> {
    const rotated = await newestRotatedTail(this.files, this.path);
    const end = Math.max(sequence, rotated?.sequence ?? 0);
    if (end < this.last.sequence) this.missing = endMissing(end, this.last.sequence);
  }

  /**
   * Drops the entries that a failed write has put into its file after all; the number of the last line shows how many. That file
   * is flushed first, wherever it was moved to: until then a crash may take them.
   * @throws an error of the file system if it cannot be flushed
   */
  private async settleFailedWrite(file: LogFile): Promise<void> {
    const failed = this.failedWrite;
    if (failed === null) return;
    try {
      const last = await this.flushedEnd(failed, file);
      file.sequence = Math.max(file.sequence, last);
      const written = new Set(failed.entries.slice(0, Math.max(0, last - failed.after)));
      this.kept = this.kept.filter((entry) => !written.has(entry));
      this.failedWrite = null;
    } catch (error) {
      await file.handle.close();
      throw error;
    }
  }

  /** Flushes the file of a failed write. @returns the number of its last line; 0 if the file is gone */
  private async flushedEnd({ identity, after }: FailedWrite, file: LogFile): Promise<number> {
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

  private async release(): Promise<void> {
    const file = this.file;
    this.file = null;
    await file?.handle.close().catch(() => undefined);
  }
}

function endMissing(end: number, written: number): string {
  const lines = end + 1 === written ? `line ${written} was` : `lines ${end + 1} to ${written} were`;
  return `${lines} written and can be read in no file of the log`;
}

async function openLog(files: Files, path: string): Promise<LogFile & { readonly runningMs: number }> {
  await files.mkdir(dirname(path), { recursive: true });
  const handle = await files.open(path, 'a+', 0o600);
  try {
    const [facts, tail] = [await handle.stat({ bigint: true }), await readTail(handle)];
    // What a process that was killed has written is read before it is on disk.
    if (facts.size > 0n) await handle.datasync();
    return { handle, identity: identityOf(facts), ...tail };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function identityOf({ dev, ino }: FileFacts): string {
  return `${dev}:${ino}`;
}
