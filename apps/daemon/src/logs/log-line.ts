export const levels = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof levels)[number];

/** Most lines that one reading gives. */
export const mostLogLines = 10_000;

/** First line of a file that continues a former one; not a log line, and no reader is given it. */
export const continuationMark = '# continued from the former file';

/** Where a log's lines are that were written before its present file; one such file is kept. */
export function formerFile(file: string): string {
  return `${file}.1`;
}

export interface LogLine {
  /** Microseconds since the epoch, strictly rising within a log, so that a reader can continue where it stopped. */
  readonly micros: number;
  readonly level: Level;
  readonly text: string;
}

/**
 * Control characters but the tab, breaks of lines, and marks that change the direction of text. A terminal would obey them, or a
 * reader would take the rest for another line.
 */
const unprintable = /(?!\t)[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' };

/** A text without {@link unprintable} characters: `\n`, `\r` and `\u001b` stand for them. */
export function escaped(text: string): string {
  return text.replace(
    unprintable,
    (character) => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `2024-01-01T00:00:00.000001Z INFO text`; the text is escaped, so a line stays a line. */
export function renderLine({ micros, level, text }: LogLine): string {
  return `${isoMicros(micros)} ${level.toUpperCase()} ${escaped(text)}`;
}

/** The parts of a rendered line; null for one that was cut off. */
export function parseLine(line: string): LogLine | null {
  const [, time = '', word = '', text = ''] = /^(\S+Z) ([A-Z]+) (.*)$/s.exec(line) ?? [];
  const micros = microsOf(time);
  const level = levels.find((candidate) => candidate === word.toLowerCase());
  return micros === null || level === undefined ? null : { micros, level, text };
}

export function isoMicros(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const rest = String(micros % 1_000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** An ISO-8601 instant of any precision in microseconds; null if the text is not one. */
export function microsOf(iso: string): number | null {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return null;
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? '';
  return ms * 1_000 + Number(fraction.padEnd(6, '0').slice(3, 6));
}
