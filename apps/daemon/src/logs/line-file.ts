import { dirname } from 'node:path';
import { machineFiles, type Files } from '@libs/files';
import { continuationMark, formerFile } from './log-line';

/** Size at which a new file is started, unless stated; the former one is kept beside it, and the one before that is gone. */
const usualRotateBytes = 8 * 1024 * 1024;
/** Maximum size of unwritten lines; beyond it, lines are dropped and counted. */
const mostPendingBytes = 4 * 1024 * 1024;

/** Whose lines a file has. */
export interface LineOwner {
  /** The line in place of lines that arrived faster than the disk could write them. */
  droppedLine(count: number): string;
  /** Lines are lost because the file could not be written. */
  lost(error: unknown): void;
  /** Everything that waited is in the file. */
  written?(): void;
}

/** A text file of lines, written in the background, in order. */
export class LineFile {
  private pending: string[] = [];
  private pendingBytes = 0;
  private dropped = 0;
  private writing: Promise<void> | null = null;
  private isPrivate = false;

  constructor(
    readonly path: string,
    private readonly owner: LineOwner,
    private readonly files: Files = machineFiles,
    private readonly rotateBytes = usualRotateBytes,
  ) {}

  add(line: string): void {
    if (this.pendingBytes > mostPendingBytes) this.dropped++;
    else this.keep(line);
    this.writing ??= this.drain();
  }

  /** Resolves when all lines so far are in the file. */
  async flushed(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private keep(line: string): void {
    this.pending.push(line);
    this.pendingBytes += Buffer.byteLength(line) + 1;
  }

  /** What waits, with a line in place of those that were dropped after it. */
  private take(): readonly string[] {
    if (this.dropped > 0) this.keep(this.owner.droppedLine(this.dropped));
    const lines = this.pending;
    this.clear();
    return lines;
  }

  private clear(): void {
    [this.pending, this.pendingBytes, this.dropped] = [[], 0, 0];
  }

  /** The new file starts with a mark, so that a former file with the mark is known to have had one before it. */
  private async rotate(): Promise<void> {
    await this.files.rename(this.path, formerFile(this.path));
    await this.append(`${continuationMark}\n`).catch(() => undefined);
  }

  private async drain(): Promise<void> {
    try {
      await this.files.mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await this.narrow();
      while (this.pending.length > 0) {
        const lines = this.take();
        if ((await this.append(`${lines.join('\n')}\n`)) > this.rotateBytes) await this.rotate();
      }
      this.owner.written?.();
    } catch (error) {
      // A file that cannot be written must not stop trading; the lines are lost.
      this.clear();
      this.owner.lost(error);
    } finally {
      this.writing = null;
    }
  }

  /** @returns the size of the file then, in bytes */
  private async append(text: string): Promise<bigint> {
    const file = await this.files.open(this.path, 'a', 0o600);
    try {
      await file.appendFile(text);
      return (await file.stat({ bigint: true })).size;
    } finally {
      await file.close();
    }
  }

  /** Files that an earlier version made readable for other users; one that cannot be changed is used as it is. */
  private async narrow(): Promise<void> {
    if (this.isPrivate) return;
    this.isPrivate = true;
    const { files, path } = this;
    const narrowed = [
      files.chmod(dirname(path), 0o700),
      files.chmod(path, 0o600),
      files.chmod(formerFile(path), 0o600),
    ];
    await Promise.allSettled(narrowed);
  }
}
