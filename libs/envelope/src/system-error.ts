import { getSystemErrorMap } from 'node:util';

/**
 * Describes a file system error without the path, as in `permission denied (EACCES)`, so that answers can contain it.
 */
export function systemErrorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  const known = 'errno' in error && typeof error.errno === 'number' ? getSystemErrorMap().get(error.errno) : undefined;
  if (known) return `${known[1]} (${known[0]})`;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}
