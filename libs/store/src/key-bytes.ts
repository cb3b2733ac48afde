import { bufferToKeyValue, keyValueToBuffer, type Key } from 'lmdb';

// Exported by the library, and missing in its types.
declare module 'lmdb' {
  export function keyValueToBuffer(key: Key): Buffer;
  export function bufferToKeyValue(bytes: Buffer): Key;
}

/** Longest key that LMDB takes, in bytes of its encoding. */
const longestKeyBytes = 1_978;

/** A key as LMDB writes it: its bytes order as the keys do. @throws Error for a key that LMDB refuses */
export function bytesOfKey(key: Key): Buffer {
  const bytes = key instanceof Uint8Array ? Buffer.from(key) : Buffer.from(keyValueToBuffer(key));
  if (bytes.length === 0) throw new Error('Invalid key or zero length key is not allowed in LMDB');
  if (bytes.length > longestKeyBytes) {
    throw new Error(`Key size is larger than the maximum key size (${longestKeyBytes})`);
  }
  return bytes;
}

/** The key that bytes stand for, as LMDB reads it back: `[1]` and `1` are the same key. */
export function keyOfBytes(bytes: Buffer): Key {
  return bufferToKeyValue(bytes);
}
