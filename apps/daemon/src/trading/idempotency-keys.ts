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
