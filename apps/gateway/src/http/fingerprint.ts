import { createHash } from 'node:crypto';

/**
 * Identifies a request by method, path and body, regardless of the order of its fields and without `client_order_id`,
 * which is the key itself. Numbers are parsed first, so `0.1` and `0.10` are the same request.
 */
export function fingerprintOf(method: string, path: string, body: unknown): string {
  const canonical = JSON.stringify(canonicalBody(body)) ?? '';
  return createHash('sha256').update(`${method} ${path}\n${canonical}`).digest('hex');
}

function canonicalBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body ?? {};
  return sorted(Object.fromEntries(Object.entries(body).filter(([field]) => field !== 'client_order_id')));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([field, inner]) => [field, sorted(inner)]),
  );
}
