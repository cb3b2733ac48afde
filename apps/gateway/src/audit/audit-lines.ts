import { basename, dirname, join } from 'node:path';
import { lastBytes, type Files, type OpenFile } from '@libs/files';
import { readTail } from './audit-tail';

/** Lines of an audit log, newest first. The fields are not validated. */
export type AuditLines = readonly Readonly<Record<string, unknown>>[];

/** Some thousand lines: what a start reads, and what is read for a key. */
const windowBytes = 4 * 1024 * 1024;
/** What a start reads when the journal may be lost: the log is then all that is known. */
const wideWindowBytes = 64 * 1024 * 1024;

/**
 * Reads the end of an audit log. If the log is shorter than the window, reads its rotated files as well, so that facts
 * that only the log holds survive a rotation. A log that does not exist or cannot be read has no lines.
 * @param reach how much of it: some thousand lines, or 64 MiB
 */
export async function readLastAuditLines(files: Files, path: string, reach: 'recent' | 'wide'): Promise<AuditLines> {
  return (await readWindow(files, path, readEnd, reach === 'recent' ? windowBytes : wideWindowBytes))
    .split('\n')
    .reverse()
    .map(parsed)
    .filter((line) => line !== null);
}

/** What the log has of one idempotency key. */
export interface KeyedAuditLines {
  /** Oldest first. */
  readonly lines: AuditLines;
  /** Whether everything from line 1 on was read. If not, older lines of the key may exist. */
  readonly complete: boolean;
}

/**
 * Reads the lines of a key from the end of an audit log and, if the log is shorter than the window, of its rotated files.
 * @throws an error of the file system if the log exists and cannot be read: missing lines would look like a request that
 * was never sent
 */
export async function readAuditLinesOf(files: Files, path: string, key: string): Promise<KeyedAuditLines> {
  const texts = (await readWindow(files, path, readExisting, windowBytes)).split('\n').filter((text) => text !== '');
  const oldest = firstWhole(texts);
  // Most lines are of other keys, and are not parsed.
  const quoted = JSON.stringify(key);
  const lines = texts
    .filter((text) => text.includes(quoted))
    .map(parsed)
    .filter((line) => line?.['client_order_id'] === key);
  return { lines: lines.filter((line) => line !== null), complete: oldest === null || oldest['sequence'] === 1 };
}

function firstWhole(texts: readonly string[]): AuditLines[number] | null {
  for (const text of texts) {
    const line = parsed(text);
    if (line !== null) return line;
  }
  return null;
}

/** The end of the log, preceded by that of its rotated files as far as they fit in the window. */
async function readWindow(files: Files, path: string, readLog: typeof readEnd, bytes: number): Promise<string> {
  let text = await readLog(files, path, bytes);
  if (text.length < bytes) {
    for (const rotated of await rotatedFiles(files, path)) {
      const left = bytes - text.length;
      if (left <= 0) break;
      text = `${await readEnd(files, rotated, left)}\n${text}`;
    }
  }
  return text;
}

/** The end of a file, empty if there is none. @throws an error of the file system if it cannot be read */
async function readExisting(files: Files, path: string, atMost: number): Promise<string> {
  try {
    const file = await files.open(path, 'r');
    try {
      return (await lastBytes(file, atMost)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * The files whose names extend the log's name by a dot or a dash, as logrotate names them, and that end in a line of an
 * audit log; newest first. Compressed files are not read.
 */
async function rotatedFiles(files: Files, path: string): Promise<string[]> {
  const folder = dirname(path);
  const names = await files.readdir(folder).catch((): string[] => []);
  const [dot, dash] = [`${basename(path)}.`, `${basename(path)}-`];
  const found: { readonly path: string; readonly lastMs: number }[] = [];
  for (const name of names.filter((one) => one.startsWith(dot) || one.startsWith(dash))) {
    const candidate = join(folder, name);
    const tail = await reading(files, candidate, readTail);
    if (tail && tail.sequence > 0) found.push({ path: candidate, lastMs: tail.timestampMs });
  }
  return found.sort((one, other) => other.lastMs - one.lastMs).map((one) => one.path);
}

async function readEnd(files: Files, path: string, atMost: number): Promise<string> {
  const bytes = await reading(files, path, (file) => lastBytes(file, atMost));
  return bytes?.toString('utf8') ?? '';
}

/** The end of a file; null if it does not exist or cannot be read. */
async function reading<T>(files: Files, path: string, read: (file: OpenFile) => Promise<T>): Promise<T | null> {
  try {
    const file = await files.open(path, 'r');
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  } catch {
    return null;
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
