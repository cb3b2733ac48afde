/**
 * A new idempotency key: 96 random bits. `crypto.randomUUID` is missing on a page that is served over plain HTTP from
 * another machine.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
