import { basename, dirname, join } from 'node:path';
import { codeOf, lastBytes, type FileFacts, type Files, type OpenFile } from '@libs/files';
import { newestRecord, parsedLine, readTail, type AuditTail } from './audit-tail';
import { probePath } from './disk-probe';

/** Lines of an audit log, newest first. The fields are not validated. */
export type AuditLines = readonly Readonly<Record<string, unknown>>[];

/** Some thousand lines: what a start reads, and what is read for a key. */
const windowBytes = 4 * 1024 * 1024;
/** What a start reads when the journal may be lost: the log is then all that is known. */
const wideWindowBytes = 64 * 1024 * 1024;

/**
 * Reads the end of an audit log. If the log is shorter than the window, reads its rotated files as well, so that facts
 * that only the log holds survive a rotation.
 * @param reach how much of it: some thousand lines, or 64 MiB
 * @param isWanted called with the text of each line, the newest first; the others are not parsed
 * @throws an error of the file system if the log exists and cannot be read: missing lines would look like sends that were
 * never made
 */
export async function readLastAuditLines(
  files: Files,
  path: string,
  reach: 'recent' | 'wide',
  isWanted: (text: string) => boolean,
): Promise<AuditLines> {
  return (await readWindow(files, path, reach === 'recent' ? windowBytes : wideWindowBytes))
    .split('\n')
    .reverse()
    .filter(isWanted)
    .map(parsedLine)
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
 * @param hasLines whether the log is known to have lines; an empty file then is a new one after a rotation
 * @throws an error of the file system if the log exists and cannot be read: missing lines would look like a request that
 * was never sent
 */
export async function readAuditLinesOf(
  files: Files,
  path: string,
  key: string,
  hasLines: boolean,
): Promise<KeyedAuditLines> {
  const texts = (await readWindow(files, path, windowBytes)).split('\n').filter((text) => text !== '');
  // Most lines are of other keys, and are not parsed.
  const quoted = JSON.stringify(key);
  const lines = texts
    .filter((text) => text.includes(quoted))
    .map(parsedLine)
    .filter((line) => line?.['client_order_id'] === key);
  const complete = await isFromLineOne(files, path, firstWhole(texts), hasLines);
  return { lines: lines.filter((line) => line !== null), complete };
}

/** The newest lines of a log. */
export interface RecentAuditLines {
  /** Newest first; each is parsed when it is taken. */
  readonly lines: Iterable<AuditLines[number]>;
  /** Whether everything from line 1 on was read. */
  readonly complete: boolean;
}

/**
 * Reads the end of an audit log as {@link readAuditLinesOf} does.
 * @param holds a text that some member of each wanted line has; empty for every line
 * @param hasLines as there
 * @throws an error of the file system if the log exists and cannot be read
 */
export async function readRecentAuditLines(
  files: Files,
  path: string,
  holds: string,
  hasLines: boolean,
): Promise<RecentAuditLines> {
  const texts = (await readWindow(files, path, windowBytes)).split('\n').filter((text) => text !== '');
  const complete = await isFromLineOne(files, path, firstWhole(texts), hasLines);
  // Most lines lack it, and are not parsed.
  const written = JSON.stringify(holds).slice(1, -1);
  return { lines: parsedInTurn(texts.filter((text) => text.includes(written)).reverse()), complete };
}

function* parsedInTurn(texts: readonly string[]): Generator<AuditLines[number]> {
  for (const text of texts) {
    const line = parsedLine(text);
    if (line !== null) yield line;
  }
}

/** @param oldest the oldest whole line that was read; null if there is none */
async function isFromLineOne(
  files: Files,
  path: string,
  oldest: AuditLines[number] | null,
  hasLines: boolean,
): Promise<boolean> {
  if (oldest !== null) return oldest['sequence'] === 1;
  return !hasLines && (await rotatedNames(files, path)).length === 0;
}

function firstWhole(texts: readonly string[]): AuditLines[number] | null {
  for (const text of texts) {
    const line = parsedLine(text);
    if (line !== null) return line;
  }
  return null;
}

/** The end of the log, preceded by that of its rotated files as far as they fit in the window. */
async function readWindow(files: Files, path: string, bytes: number): Promise<string> {
  let text = await readEnd(files, path, bytes, ['ENOENT']);
  if (text.length < bytes) {
    for (const rotated of await rotatedTails(files, path)) {
      const left = bytes - text.length;
      if (left <= 0) break;
      text = `${await readEnd(files, rotated.path, left, noLog)}\n${text}`;
    }
  }
  return text;
}

/** The end of the newest rotated file; null if there is none. @throws an error of the file system if one cannot be read */
export async function newestRotatedTail(files: Files, path: string): Promise<AuditTail | null> {
  const [newest] = await rotatedTails(files, path);
  return newest?.tail ?? null;
}

/**
 * The newest record of a journal that a line of the log names, in the file at its path or in the rotated ones; null if there is none. The
 * rotated files from the newest to that one are on disk then: a process that was killed may not have flushed them.
 * @throws an error of the file system if a file cannot be read or flushed
 */
export async function newestRecordOf(
  files: Files,
  path: string,
  present: OpenFile,
  journalId: string,
): Promise<string | null> {
  const found = await newestRecord(present, journalId);
  if (found !== null) return found;
  const flushed = async (file: OpenFile): Promise<string | null> => {
    await file.datasync();
    return newestRecord(file, journalId);
  };
  for (const rotated of await rotatedTails(files, path)) {
    const record = await reading(files, rotated.path, flushed, noLog);
    if (record !== null) return record;
  }
  return null;
}

/**
 * Flushes one of the rotated files, and reads its end; null if none is wanted.
 * @throws an error of the file system if it cannot be flushed
 */
export async function flushedRotatedTail(
  files: Files,
  path: string,
  isWanted: (facts: FileFacts) => boolean,
): Promise<AuditTail | null> {
  const flushed = async (file: OpenFile): Promise<AuditTail | null> => {
    if (!isWanted(await file.stat({ bigint: true }))) return null;
    await file.datasync();
    return readTail(file);
  };
  for (const name of await rotatedNames(files, path)) {
    const tail = await reading(files, join(dirname(path), name), flushed, noLog);
    if (tail) return tail;
  }
  return null;
}

/** Whether a file is one of the rotated files of another log beside it. */
export async function isRotated(files: Files, path: string): Promise<boolean> {
  const names = await files.readdir(dirname(path)).catch((): string[] => []);
  const own = basename(path);
  return names.some((name) => own.startsWith(`${name}.`) || own.startsWith(`${name}-`));
}

/**
 * The files whose names extend the log's name by a dot or a dash, as logrotate names them, and that end in a line of an
 * audit log; newest first. Compressed files are not read.
 */
async function rotatedTails(
  files: Files,
  path: string,
): Promise<{ readonly path: string; readonly tail: AuditTail }[]> {
  const found: { readonly path: string; readonly tail: AuditTail }[] = [];
  for (const name of await rotatedNames(files, path)) {
    const candidate = join(dirname(path), name);
    const tail = await reading(files, candidate, readTail, noLog);
    if (tail && tail.sequence > 0) found.push({ path: candidate, tail });
  }
  // While the wall clock is behind the log, all lines have the same time.
  return found.sort(
    ({ tail: one }, { tail: other }) => other.timestampMs - one.timestampMs || other.sequence - one.sequence,
  );
}

/** The names of files beside the log that extend its name, compressed ones included. None in a folder that cannot be listed. */
async function rotatedNames(files: Files, path: string): Promise<string[]> {
  const names = await files.readdir(dirname(path)).catch((error: unknown): string[] => {
    if (noLog.includes(codeOf(error))) return [];
    throw error;
  });
  const [dot, dash, probe] = [`${basename(path)}.`, `${basename(path)}-`, basename(probePath(path))];
  return names.filter((name) => (name.startsWith(dot) || name.startsWith(dash)) && name !== probe);
}

/** The end of a file, empty after one of the errors `without`. @throws any other error of the file system */
async function readEnd(files: Files, path: string, atMost: number, without: readonly string[]): Promise<string> {
  const bytes = await reading(files, path, (file) => lastBytes(file, atMost), without);
  return bytes?.toString('utf8') ?? '';
}

/** A file beside the log that is not one of its rotated files: it has gone, is a folder, or belongs to another user. */
const noLog: readonly string[] = ['ENOENT', 'EISDIR', 'EACCES', 'EPERM'];

/** Reads a file; null after one of the errors `without`. @throws any other error of the file system */
export async function reading<T>(
  files: Files,
  path: string,
  read: (file: OpenFile) => Promise<T>,
  without: readonly string[],
): Promise<T | null> {
  try {
    const file = await files.open(path, 'r');
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (without.includes(codeOf(error))) return null;
    throw error;
  }
}
