import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '@libs/clock';
import { renderLine, type Level } from './log-line';

/** Size at which a log starts a new file; the former one is kept beside it. */
const rotateBytes = 8 * 1024 * 1024;

/** One strategy's log: a text file, written behind the caller's back, in order. */
export class StrategyLog {
  private pending: string[] = [];
  private writing: Promise<void> | null = null;
  private lastMicros = 0;
  private readonly followers = new Set<(line: string) => void>();

  constructor(
    readonly file: string,
    private readonly clock: Clock,
  ) {}

  debug(text: string, details?: object): void {
    this.write('debug', text, details);
  }

  info(text: string, details?: object): void {
    this.write('info', text, details);
  }

  warning(text: string, details?: object): void {
    this.write('warning', text, details);
  }

  error(text: string, details?: object): void {
    this.write('error', text, details);
  }

  /** Hears every line from now on, whatever file it goes to. */
  follow(follower: (line: string) => void): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Resolves when everything said so far is in the file. */
  async flushed(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private write(level: Level, text: string, details?: object): void {
    this.lastMicros = Math.max(this.lastMicros + 1, Math.floor(this.clock.nowMs()) * 1_000);
    const said = details === undefined ? text : `${text} ${JSON.stringify(details)}`;
    const line = renderLine({ micros: this.lastMicros, level, text: said });
    this.pending.push(line);
    for (const follower of this.followers) follower(line);
    this.writing ??= this.drain();
  }

  private async drain(): Promise<void> {
    try {
      await mkdir(dirname(this.file), { recursive: true });
      while (this.pending.length > 0) {
        const lines = this.pending;
        this.pending = [];
        await appendFile(this.file, `${lines.join('\n')}\n`);
        if ((await stat(this.file)).size > rotateBytes) await rename(this.file, `${this.file}.1`);
      }
    } catch {
      // A log that cannot be written must not stop trading; the lines are lost, and followers have had them.
      this.pending = [];
    } finally {
      this.writing = null;
    }
  }
}
