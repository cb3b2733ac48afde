import { getSystemErrorMap } from 'node:util';

/** A file system's error in words without the path, as `permission denied (EACCES)`: fit for an answer. */
export function systemErrorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  const known = 'errno' in error && typeof error.errno === 'number' ? getSystemErrorMap().get(error.errno) : undefined;
  if (known) return `${known[1]} (${known[0]})`;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}
