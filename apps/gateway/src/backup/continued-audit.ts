import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** Bytes; no line of the audit log is longer. */
const longestLine = 1024 * 1024;

/**
 * Whether an audit log goes on after the one of a backup: it begins with all its whole lines, or was rotated and has later ones. Lines
 * alone do not show it, because a gateway that lost its log begins a new one with line 1.
 * @throws Error of the file system
 */
export async function continuesAudit(existing: string, backup: string): Promise<boolean> {
  const [present, saved] = [await endsOf(existing), await endsOf(backup)];
  if (saved.wholeBytes === 0) return true;
  if (present.first === null || saved.first === null) return false;
  if (present.first > saved.first) return (present.last ?? 0) >= (saved.last ?? 0);
  if (present.wholeBytes < saved.wholeBytes) return false;
  return (await hashOf(existing, saved.wholeBytes)) === (await hashOf(backup, saved.wholeBytes));
}

/** The numbers of the first and the last whole line, null if there is none, and the bytes of all whole lines. */
interface Ends {
  readonly first: number | null;
  readonly last: number | null;
  readonly wholeBytes: number;
}

async function endsOf(path: string): Promise<Ends> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const part = async (from: number): Promise<Buffer> => {
      const bytes = Buffer.alloc(Math.min(longestLine, size - from));
      return bytes.subarray(0, (await file.read(bytes, 0, bytes.length, from)).bytesRead);
    };
    const begin = await part(0);
    const from = Math.max(0, size - longestLine);
    const end = await part(from);
    const whole = end.lastIndexOf('\n') + 1;
    return {
      first: sequenceOf(begin.subarray(0, begin.indexOf('\n') + 1)),
      last: sequenceOf(end.subarray(end.subarray(0, Math.max(0, whole - 1)).lastIndexOf('\n') + 1, whole)),
      wholeBytes: whole === 0 ? 0 : from + whole,
    };
  } finally {
    await file.close();
  }
}

function sequenceOf(line: Buffer): number | null {
  try {
    const { sequence } = JSON.parse(line.toString('utf8')) as { readonly sequence?: unknown };
    return typeof sequence === 'number' ? sequence : null;
  } catch {
    return null;
  }
}

async function hashOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { end: bytes - 1 })) hash.update(part as Buffer);
  return hash.digest('hex');
}
