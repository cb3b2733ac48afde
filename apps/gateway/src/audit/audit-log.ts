import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import { auditLine, type AuditEvent } from './audit-event';
import { readTail } from './audit-tail';

/** Whether lines can be written; `error` says in words why not. */
export interface AuditLogStatus {
  readonly state: 'ok' | 'unavailable';
  readonly error: string | null;
}

interface Entry {
  readonly event: AuditEvent;
  readonly atMs: number;
  /** Written later when it cannot be written now. */
  readonly keep: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly identity: string;
  sequence: number;
  timestampMs: number;
  /** Ends in a line without its end, which the next write closes off. */
  torn: boolean;
}

/** What was being written when a write failed: some of it may be on disk. */
interface FailedWrite {
  readonly identity: string;
  readonly entries: readonly Entry[];
}

/** Lines that are kept in memory while the file cannot be written: some megabytes. */
const mostKept = 10_000;
/** The disk takes nothing at the moment. Any other error of a start is a wrong path or missing rights. */
const passing = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/**
 * The append-only order audit log: one line per event, on disk before the promise resolves, lines that come together
 * share a flush, and nothing is overwritten (design: gateway-api, Audit log). The log follows its path: a file that was
 * moved, deleted or replaced is left, and the numbering goes on in the file that is at the path now.
 */
export class AuditLog {
  private waiting: Entry[] = [];
  /** In the order of their events. */
  private kept: Entry[] = [];
  private file: OpenFile | null = null;
  /** The last line known to be on disk, in whichever file. */
  private last = { sequence: 0, timestampMs: 0 };
  private failedWrite: FailedWrite | null = null;
  private error: string | null = null;
  private flushing: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens the log. A disk that is full or read-only is no error: the log is then unavailable until it can be written.
   * @throws an error of the file system for a path that cannot be opened at all
   */
  async open(): Promise<void> {
    try {
      await this.current();
    } catch (error) {
      if (!passing.has(codeOf(error))) throw error;
      this.error = systemErrorText(error);
    }
  }

  get status(): AuditLogStatus {
    return this.error === null ? { state: 'ok', error: null } : { state: 'unavailable', error: this.error };
  }

  /** Writes one event; resolves when it is on disk, rejects when it could not be written. */
  append(event: AuditEvent): Promise<void> {
    return new Promise((written, failed) => this.enqueue({ event, keep: false, written, failed }));
  }

  /** Writes one event now or, if that fails, as soon as it is possible. @returns whether it is on disk now */
  keep(event: AuditEvent): Promise<boolean> {
    return new Promise((resolve) => {
      this.enqueue({ event, keep: true, written: () => resolve(true), failed: () => resolve(false) });
    });
  }

  /** Finds out whether the log can be written, and writes what is kept. Call about each second. */
  tick(): Promise<void> {
    if (this.closed) return Promise.resolve();
    return (this.flushing ??= this.flush(true));
  }

  /** Waits for the lines in flight and closes the file; a line that comes later opens it again. */
  async close(): Promise<void> {
    this.closed = true;
    await this.flushing;
    await this.release();
  }

  private enqueue(entry: Omit<Entry, 'atMs'>): void {
    this.waiting.push({ ...entry, atMs: this.clock.nowMs() });
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
    // In the turn of the last look at `waiting`: a line that comes now begins a flush of its own.
    this.flushing = null;
  }

  private async write(batch: readonly Entry[]): Promise<void> {
    const file = await this.current();
    const entries = [...this.kept, ...batch];
    if (entries.length === 0) return;
    const lines = entries.map(({ event, atMs }) => {
      // The wall clock may be set back; the log's time never goes back.
      file.timestampMs = Math.max(file.timestampMs, atMs);
      return `${auditLine(new Date(file.timestampMs).toISOString(), ++file.sequence, event)}\n`;
    });
    this.failedWrite = { identity: file.identity, entries };
    await file.handle.appendFile(`${file.torn ? '\n' : ''}${lines.join('')}`);
    await file.handle.datasync();
    this.failedWrite = null;
    file.torn = false;
    this.last = { sequence: file.sequence, timestampMs: file.timestampMs };
    this.kept = [];
  }

  /** The file that is at the path now. */
  private async current(): Promise<OpenFile> {
    if (this.file && (await identityOf(this.path)) !== this.file.identity) await this.release();
    if (this.file) return this.file;
    const file = await openLog(this.path);
    this.dropWritten(file);
    file.sequence = Math.max(file.sequence, this.last.sequence);
    file.timestampMs = Math.max(file.timestampMs, this.last.timestampMs);
    return (this.file = file);
  }

  /** What reached the disk before a write failed shows by the number of the last line; it is not written again. */
  private dropWritten({ identity, sequence }: OpenFile): void {
    const failed = this.failedWrite;
    this.failedWrite = null;
    if (failed?.identity !== identity) return;
    const written = new Set(failed.entries.slice(0, Math.max(0, sequence - this.last.sequence)));
    this.kept = this.kept.filter((entry) => !written.has(entry));
  }

  private async release(): Promise<void> {
    const file = this.file;
    this.file = null;
    await file?.handle.close().catch(() => undefined);
  }
}

async function openLog(path: string): Promise<OpenFile> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    const [{ dev, ino }, tail] = [await handle.stat({ bigint: true }), await readTail(handle)];
    return { handle, identity: `${dev}:${ino}`, ...tail };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Tells files apart, whatever their names; null when there is none at the path. */
async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.dev}:${found.ino}`;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
