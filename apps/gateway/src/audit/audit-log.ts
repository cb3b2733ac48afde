import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { auditLine, type AuditEvent } from './audit-event';
import { readTail } from './audit-tail';

interface Waiting {
  readonly event: AuditEvent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface OpenFile {
  readonly handle: FileHandle;
  sequence: number;
  timestampMs: number;
}

/**
 * The append-only order audit log: a line an event, on disk before the promise resolves, lines that come together share
 * a flush, and nothing is ever written over (design: gateway-api, Audit log).
 */
export class AuditLog {
  private waiting: Waiting[] = [];
  private file: OpenFile | null = null;
  private flushing: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens the log and closes off a line that a crash cut short.
   * @throws an error of the file system when it can't be opened
   */
  async open(): Promise<void> {
    this.file ??= await openLog(this.path);
  }

  /** Writes one event; resolves when it is on disk, rejects when it could not be written. */
  append(event: AuditEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ event, resolve, reject });
      this.flushing ??= this.flush().finally(() => (this.flushing = null));
    });
  }

  /** Waits for the lines under way and closes the file; a line that comes later opens it once more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.flushing;
    await this.release();
  }

  private async flush(): Promise<void> {
    // One turn later, so that events of the same turn go out together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.write(batch.map(({ event }) => event));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // What of it reached the disk is not known: the file is read anew before the next line.
        await this.release();
        for (const { reject } of batch) reject(error);
      }
    }
    if (this.closed) await this.release();
  }

  private async release(): Promise<void> {
    const file = this.file;
    this.file = null;
    await file?.handle.close().catch(() => undefined);
  }

  private async write(events: readonly AuditEvent[]): Promise<void> {
    const file = (this.file ??= await openLog(this.path));
    // The wall clock may be set back; the log's time never goes back.
    file.timestampMs = Math.max(file.timestampMs, this.clock.nowMs());
    const timestamp = new Date(file.timestampMs).toISOString();
    const lines = events.map((event) => `${auditLine(timestamp, ++file.sequence, event)}\n`);
    await file.handle.appendFile(lines.join(''));
    await file.handle.datasync();
  }
}

async function openLog(path: string): Promise<OpenFile> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    const { sequence, timestampMs, torn } = await readTail(handle);
    if (torn) {
      await handle.appendFile('\n');
      await handle.datasync();
    }
    return { handle, sequence, timestampMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
