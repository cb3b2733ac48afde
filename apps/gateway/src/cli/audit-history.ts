import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** A line of the audit log. */
export type AuditLine = Readonly<Record<string, unknown>>;

/** Each rotation in between costs a further read. */
const mostReads = 3;

/**
 * The lines of an idempotency key in the audit log and in its rotated files, as logrotate names them (compressed ones
 * too), in the order in which they were written.
 * @throws Error of the file system if a file cannot be read: missing lines would look like a request that was never sent
 */
export async function auditHistory(path: string, key: string): Promise<AuditLine[]> {
  for (let left = mostReads - 1; ; left--) {
    try {
      return await historyIn(path, key);
    } catch (error) {
      // A file was rotated or compressed since the folder was read: its lines have another name now.
      if (!isGone(error) || left === 0) throw error;
    }
  }
}

async function historyIn(path: string, key: string): Promise<AuditLine[]> {
  const found: AuditLine[] = [];
  for (const file of await filesOf(path)) {
    for await (const text of linesOf(file)) {
      // Most lines are of other keys, and need not be parsed.
      if (!text.includes(JSON.stringify(key))) continue;
      const line = parsed(text);
      if (line?.['client_order_id'] === key) found.push(line);
    }
  }
  return found.sort(inTime);
}

/** By time, which never goes back in a log, and then by number, which begins again in a new one. */
function inTime(one: AuditLine, other: AuditLine): number {
  const [first, second] = [String(one['timestamp']), String(other['timestamp'])];
  if (first !== second) return first < second ? -1 : 1;
  return Number(one['sequence']) - Number(other['sequence']);
}

async function filesOf(path: string): Promise<string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const rotated = (await readdir(folder)).filter((one) => one.startsWith(`${name}.`) || one.startsWith(`${name}-`));
  // With it the gateway checks its disk, and removes it at once.
  const probe = `${name}.probe`;
  return [...rotated.filter((one) => one !== probe).map((one) => join(folder, one)), path];
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
