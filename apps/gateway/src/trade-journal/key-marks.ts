import { createHash } from 'node:crypto';

/** How a tag looks; a comment of another shape is the client's, or the broker's. */
export const tagPattern = /^#[0-9a-z]{10}$/;

/** Magic of an order whose client gave none: 31 bits of a hash of its key, never 0. */
export function magicOfKey(key: string): number {
  return digestOf('magic', key).readUInt32BE(0) % 0x7fff_ffff || 1;
}

/** Comment of an order whose client gave none: helps to recognise it, but brokers may overwrite comments. */
export function tagOfKey(key: string): string {
  const number = digestOf('tag', key).readBigUInt64BE(0) >> 13n;
  return `#${number.toString(36).padStart(10, '0').slice(-10)}`;
}

function digestOf(purpose: string, key: string): Buffer {
  return createHash('sha256').update(`${purpose}\n${key}`).digest();
}
