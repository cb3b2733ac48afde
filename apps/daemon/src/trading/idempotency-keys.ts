import { randomBytes } from 'node:crypto';

/** Idempotency keys no other start of any daemon ever used: a random start, then a count. */
export class IdempotencyKeys {
  private count = 0;

  /** @param session names this start of the daemon */
  constructor(readonly session: string = randomBytes(8).toString('hex')) {}

  next(): string {
    return `d${this.session}-${++this.count}`;
  }
}

/**
 * The key of the next try of what was refused under this one. It follows from the one before: a start of the daemon that
 * does not know how far an earlier one came finds the tries that were made by their keys, and makes none of them twice.
 */
export function retryKeyOf(key: string): string {
  const [, first = key, tries = '0'] = /^(.*)~(\d+)$/.exec(key) ?? [];
  return `${first}~${Number(tries) + 1}`;
}
