import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** A line of the audit log. */
export type AuditLine = Readonly<Record<string, unknown>>;

const mostReads = 3;

/** A file of the log. The number tells it from another one that has its name later. */
interface LogFile {
  readonly path: string;
  readonly ino: bigint;
}

/**
 * The lines of an idempotency key in the audit log and in its rotated files, as logrotate names them (compressed ones
 * too), in the order in which they were written.
 * @throws Error if a file cannot be read, or files are moved with each read: missing lines would look like a request that was never sent
 */
export async function auditHistory(path: string, key: string): Promise<AuditLine[]> {
  for (let read = 0; read < mostReads; read++) {
    const files = await filesOf(path);
    const found = await linesOfKey(files, key);
    // Otherwise the lines of a file that was rotated or compressed meanwhile may have been in no file that was read.
    if (found !== null && areSame(files, await filesOf(path))) return found.sort(inTime);
  }
  throw new Error(`the files of ${path} were moved while they were read: try again`);
}

/** Null if a file is gone. */
async function linesOfKey(files: readonly LogFile[], key: string): Promise<AuditLine[] | null> {
  const found: AuditLine[] = [];
  try {
    for (const { path } of files) {
      for await (const text of linesOf(path)) {
        // Most lines are of other keys, and need not be parsed.
        if (!text.includes(JSON.stringify(key))) continue;
        const line = parsed(text);
        if (line?.['client_order_id'] === key) found.push(line);
      }
    }
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
  return found;
}

/** By time, which never goes back in a log, and then by number, which begins again in a new one. */
function inTime(one: AuditLine, other: AuditLine): number {
  const [first, second] = [String(one['timestamp']), String(other['timestamp'])];
  if (first !== second) return first < second ? -1 : 1;
  return Number(one['sequence']) - Number(other['sequence']);
}

/** @throws Error of the file system if there is no log at the path */
async function filesOf(path: string): Promise<LogFile[]> {
  const [folder, name] = [dirname(path), basename(path)];
  // With the probe, the gateway checks its disk, and removes it at once.
  const isRotated = (one: string): boolean =>
    (one.startsWith(`${name}.`) || one.startsWith(`${name}-`)) && one !== `${name}.probe`;
  const files: LogFile[] = [];
  for (const one of (await readdir(folder)).filter(isRotated).sort()) {
    const facts = await stat(join(folder, one), { bigint: true }).catch(nullIfGone);
    if (facts) files.push({ path: join(folder, one), ino: facts.ino });
  }
  return [...files, { path, ino: (await stat(path, { bigint: true })).ino }];
}

function areSame(before: readonly LogFile[], now: readonly LogFile[]): boolean {
  return (
    before.length === now.length && before.every(({ path, ino }, at) => now[at]?.path === path && now[at].ino === ino)
  );
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const plain = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  const failed = new Promise<never>((_resolve, reject) => {
    for (const stream of [bytes, plain]) stream.once('error', reject);
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input: plain })[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([lines.next(), failed]);
    if (next.done === true) return;
    yield next.value;
  }
}

function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Null for a line that a crash cut short. */
function parsed(text: string): AuditLine | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? { ...line } : null;
  } catch {
    return null;
  }
}
