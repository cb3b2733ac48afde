import { lastBytes, type OpenFile } from '@libs/files';

/** The end of an existing log. */
export interface AuditTail {
  /** The number of the last whole line, 0 if there is none. */
  readonly sequence: number;
  /** UTC milliseconds of the last whole line, 0 if there is none. */
  readonly timestampMs: number;
  /** For how long gateways had run with this log at the last whole line, 0 if it does not say. */
  readonly runningMs: number;
  /** The last line has no line break: a crash cut it short. */
  readonly torn: boolean;
}

const windowBytes = 64 * 1_024;

/** Reads the end of a log; a line much longer than the log's own is not found. */
export async function readTail(file: OpenFile): Promise<AuditTail> {
  const lines = (await lastBytes(file, windowBytes)).toString('utf8').split('\n');
  // A crash may have cut off no more than the line break: the line before it is whole, and has its number.
  const torn = lines.at(-1) !== '';
  for (const line of lines.reverse()) {
    const stamp = stampOf(line);
    if (stamp) return { ...stamp, torn };
  }
  return { sequence: 0, timestampMs: 0, runningMs: 0, torn };
}

/**
 * The newest record of a journal that a whole line of a log names; null if there is none. While the journal cannot be written, any
 * number of lines without a record may follow.
 */
export async function newestRecord(file: OpenFile, journalId: string): Promise<string | null> {
  const marks = [`"record":"${journalId}/`, `"record":"${journalId}.`];
  const { size } = await file.stat({ bigint: true });
  // Of the line that begins before the part that was read.
  let rest = '';
  for (let end = Number(size); end > 0;) {
    const start = Math.max(0, end - windowBytes);
    const buffer = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    // By bytes, because a part may begin within a character. What is read of a line is ASCII.
    const lines = `${buffer.toString('latin1', 0, bytesRead)}${rest}`.split('\n');
    rest = start > 0 ? (lines.shift() ?? '') : '';
    for (const line of lines.reverse()) {
      // Most lines of a log may be of other journals, and are not parsed.
      if (!marks.some((mark) => line.includes(mark)) || stampOf(line) === null) continue;
      const record = parsedLine(line)?.['record'];
      if (typeof record === 'string') return record;
    }
    end = start;
  }
  return null;
}

/** The number and times of a line, null if the log did not write it. */
function stampOf(line: string): Omit<AuditTail, 'torn'> | null {
  const { sequence, timestamp, running_ms: runningMs } = parsedLine(line) ?? {};
  const timestampMs = Date.parse(String(timestamp));
  if (!Number.isInteger(sequence) || Number.isNaN(timestampMs)) return null;
  return { sequence: Number(sequence), timestampMs, runningMs: typeof runningMs === 'number' ? runningMs : 0 };
}

/** The members of a line; null if it is not a whole one. */
export function parsedLine(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? { ...line } : null;
  } catch {
    return null;
  }
}
