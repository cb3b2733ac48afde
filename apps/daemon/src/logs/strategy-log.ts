import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import type { Logger } from 'pino';
import { continuationMark, formerFile, renderLine, type Level } from './log-line';

/** Size at which a log starts a new file; the former one is kept beside it, and the one before that is gone. */
const rotateBytes = 8 * 1024 * 1024;
/** Maximum size of unwritten lines; beyond it, lines are dropped and counted. */
const mostPendingBytes = 4 * 1024 * 1024;
/** Longest text of a line, in characters; what is beyond is cut off. */
const mostLineLength = 64 * 1024;

interface Follower {
  readonly onLine: (line: string) => void;
  readonly onEnd: () => void;
}

/**
 * The log of one strategy or portfolio: a text file, written in the background, in order. What the daemon writes to it
 * at INFO and above goes to the daemon's own log as well; what the strategy writes does not.
 */
export class StrategyLog {
  private pending: string[] = [];
  private pendingBytes = 0;
  private leftOut = 0;
  private writing: Promise<void> | null = null;
  private lastMicros = 0;
  private isPrivate = false;
  private readonly followers = new Set<Follower>();

  constructor(
    readonly file: string,
    private readonly clock: Clock,
    /** Of the daemon itself, with the name of the strategy. */
    private readonly logger: Logger,
    private readonly files: Files = machineFiles,
  ) {}

  debug(text: string, details?: object): void {
    this.write('debug', text, details);
  }

  /** A line that the strategy itself writes. */
  said(text: string, details?: object): void {
    this.write('info', text, details);
  }

  info(text: string, details?: object): void {
    this.logger.info(details ?? {}, text);
    this.write('info', text, details);
  }

  warning(text: string, details?: object): void {
    this.logger.warn(details ?? {}, text);
    this.write('warning', text, details);
  }

  error(text: string, details?: object): void {
    this.logger.error(details ?? {}, text);
    this.write('error', text, details);
  }

  /** Passes every line from now on to `onLine`, whatever file it goes to; `onEnd` follows the last line of all. */
  follow(onLine: (line: string) => void, onEnd: () => void = () => undefined): () => void {
    const follower = { onLine, onEnd };
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Ends all followers: the strategy is removed, so that no line may ever come. */
  endFollowing(): void {
    const ended = [...this.followers];
    this.followers.clear();
    for (const { onEnd } of ended) onEnd();
  }

  /** Resolves when all lines so far are in the file. */
  async flushed(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private write(level: Level, text: string, details?: object): void {
    this.lastMicros = Math.max(this.lastMicros + 1, Math.floor(this.clock.nowMs()) * 1_000);
    const said = details === undefined ? text : `${text} ${JSON.stringify(details)}`;
    const line = renderLine({ micros: this.lastMicros, level, text: cut(said) });
    for (const { onLine } of this.followers) onLine(line);
    if (this.pendingBytes > mostPendingBytes) this.leftOut++;
    else this.keep(line);
    this.writing ??= this.drain();
  }

  private keep(line: string): void {
    this.pending.push(line);
    this.pendingBytes += Buffer.byteLength(line) + 1;
  }

  /** What waits, with a line in place of those that were left out after it. */
  private take(): readonly string[] {
    if (this.leftOut > 0) {
      const text = `${this.leftOut} lines were dropped: they arrived faster than the disk could write them`;
      this.keep(renderLine({ micros: ++this.lastMicros, level: 'warning', text }));
    }
    const lines = this.pending;
    [this.pending, this.pendingBytes, this.leftOut] = [[], 0, 0];
    return lines;
  }

  /** The new file starts with a mark, so that a former file with the mark is known to have had one before it. */
  private async rotate(): Promise<void> {
    await this.files.rename(this.file, formerFile(this.file));
    await this.append(`${continuationMark}\n`).catch(() => undefined);
  }

  private async drain(): Promise<void> {
    try {
      await this.files.mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      await this.narrow();
      while (this.pending.length > 0) {
        const lines = this.take();
        if ((await this.append(`${lines.join('\n')}\n`)) > rotateBytes) await this.rotate();
      }
    } catch {
      // A log that cannot be written must not stop trading; the lines are lost, and followers have had them.
      [this.pending, this.pendingBytes, this.leftOut] = [[], 0, 0];
    } finally {
      this.writing = null;
    }
  }

  /** @returns the size of the file then, in bytes */
  private async append(text: string): Promise<bigint> {
    const file = await this.files.open(this.file, 'a', 0o600);
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
    const { files, file } = this;
    const narrowed = [
      files.chmod(dirname(file), 0o700),
      files.chmod(file, 0o600),
      files.chmod(formerFile(file), 0o600),
    ];
    await Promise.allSettled(narrowed);
  }
}

/** Truncates a text: a strategy may log texts of any length. */
function cut(text: string): string {
  if (text.length <= mostLineLength) return text;
  return `${text.slice(0, mostLineLength)}... (${text.length - mostLineLength} more characters)`;
}
