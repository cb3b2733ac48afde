import { createHash } from 'node:crypto';

/** Format of a tag; any other comment is the client's or the broker's. */
export const tagPattern = /^#[0-9a-z]{10}$/;

/** Magic of an order whose client set none: 31 bits of a hash of the key, never 0. */
export function magicOfKey(key: string): number {
  return digestOf('magic', key).readUInt32BE(0) % 0x7fff_ffff || 1;
}

/** Comment of an order whose client set none. Helps to identify it, but brokers may overwrite comments. */
export function tagOfKey(key: string): string {
  const number = digestOf('tag', key).readBigUInt64BE(0) >> 13n;
  return `#${number.toString(36).padStart(10, '0').slice(-10)}`;
}

function digestOf(purpose: string, key: string): Buffer {
  return createHash('sha256').update(`${purpose}\n${key}`).digest();
}
