import type { FileHandle } from 'node:fs/promises';

/** Where an existing log ends. */
export interface AuditTail {
  /** The number of the last whole line, 0 for none. */
  readonly sequence: number;
  /** UTC milliseconds of the last whole line, 0 for none. */
  readonly timestampMs: number;
  /** The last line lacks its end: it was cut off by a crash. */
  readonly torn: boolean;
}

const windowBytes = 64 * 1_024;

/** Reads the end of a log; a line far longer than any of ours would not be found. */
export async function readTail(file: FileHandle): Promise<AuditTail> {
  const { size } = await file.stat();
  if (size === 0) return { sequence: 0, timestampMs: 0, torn: false };
  const start = Math.max(0, size - windowBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
  const torn = lines.pop() !== '';
  for (const line of lines.reverse()) {
    const stamp = stampOf(line);
    if (stamp) return { ...stamp, torn };
  }
  return { sequence: 0, timestampMs: 0, torn };
}

/** The number and time of a line, null for one that is none of ours. */
function stampOf(line: string): { sequence: number; timestampMs: number } | null {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== 'object' || parsed === null || !('sequence' in parsed) || !('timestamp' in parsed))
      return null;
    const timestampMs = Date.parse(String(parsed.timestamp));
    return Number.isInteger(parsed.sequence) && !Number.isNaN(timestampMs)
      ? { sequence: Number(parsed.sequence), timestampMs }
      : null;
  } catch {
    return null;
  }
}
