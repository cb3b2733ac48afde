import type { Clock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { countText } from '@libs/gateway-client/figure-text';
import type { Logger } from 'pino';
import { LineFile, type LineOwner } from './line-file';
import { renderLine, type Level } from './log-line';

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
export class StrategyLog implements LineOwner {
  private readonly lines: LineFile;
  private lastMicros = 0;
  private readonly followers = new Set<Follower>();

  constructor(
    readonly file: string,
    private readonly clock: Clock,
    /** Of the daemon itself, with the name of the strategy. */
    private readonly logger: Logger,
    files: Files = machineFiles,
  ) {
    this.lines = new LineFile(file, this, files);
  }

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
    await this.lines.flushed();
  }

  droppedLine(count: number): string {
    const text = `${countText(count, 'line was', 'lines were')} dropped: they arrived faster than the disk could write them`;
    return renderLine({ micros: ++this.lastMicros, level: 'warning', text });
  }

  /** Followers have had the lines. */
  lost(): void {
    return;
  }

  private write(level: Level, text: string, details?: object): void {
    this.lastMicros = Math.max(this.lastMicros + 1, Math.floor(this.clock.nowMs()) * 1_000);
    const said = details === undefined ? text : `${text} ${JSON.stringify(details)}`;
    const line = renderLine({ micros: this.lastMicros, level, text: cut(said) });
    for (const { onLine } of this.followers) onLine(line);
    this.lines.add(line);
  }
}

/** Truncates a text: a strategy may log texts of any length. */
function cut(text: string): string {
  if (text.length <= mostLineLength) return text;
  return `${text.slice(0, mostLineLength)}... (${text.length - mostLineLength} more characters)`;
}
