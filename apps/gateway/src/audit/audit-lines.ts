import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Lines of an audit log, the newest first; what is on them is to be checked. */
export type AuditLines = readonly Readonly<Record<string, unknown>>[];

/** Some thousand lines. */
const windowBytes = 4 * 1024 * 1024;

/** Reads the end of an audit log. One that does not exist or cannot be read has no lines. */
export function readLastAuditLines(path: string): AuditLines {
  return readEnd(path)
    .split('\n')
    .reverse()
    .map(parsed)
    .filter((line) => line !== null);
}

function readEnd(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const start = Math.max(0, size - windowBytes);
      const buffer = Buffer.alloc(size - start);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? { ...line } : null;
  } catch {
    return null;
  }
}
