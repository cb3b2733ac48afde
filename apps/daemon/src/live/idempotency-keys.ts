/** Idempotency keys that are unique over all starts of all daemons: a random prefix, then a count. */
export class IdempotencyKeys {
  private count = 0;
  private deployments = 0;

  /** @param session names this start of the daemon */
  constructor(readonly session: string) {}

  next(): string {
    return `d${this.session}-${++this.count}`;
  }

  /** What the ids of the intents of one deployment begin with: unlike those of every other deployment of any strategy. */
  nextIntentPrefix(): string {
    return `${this.session}-${++this.deployments}.`;
  }
}
