import { createHash } from 'node:crypto';

/** A bundled entry as text, with the functions of it that an earlier process compiled; null if they are not known. */
export interface EntryCode {
  readonly text: string;
  readonly compiled: Uint8Array | null;
}

/** Bytes of a SHA-256. */
const digestBytes = 32;

/** Compiled functions as a file: a digest of them, of the text and of the runtime, then V8's own bytes. */
export function compiledFile(text: string, compiled: Uint8Array): Buffer {
  return Buffer.concat([digestOf(text, compiled), compiled]);
}

/**
 * The compiled functions of a file; null if it is damaged, or made from another text or by another runtime. V8 compares only
 * the length of the text.
 */
export function compiledOf(text: string, file: Buffer): Uint8Array | null {
  const compiled = file.subarray(digestBytes);
  return digestOf(text, compiled).equals(file.subarray(0, digestBytes)) ? compiled : null;
}

function digestOf(text: string, compiled: Uint8Array): Buffer {
  const { version, arch, platform } = process;
  const made = JSON.stringify([version, arch, platform, text.length]);
  return createHash('sha256').update(made).update(text).update(compiled).digest();
}
