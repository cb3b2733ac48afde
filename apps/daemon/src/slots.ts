/** Limits how many tasks run at a time; the others wait in the order in which they came. */
export class Slots {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** @param most tasks at a time; a function is asked whenever one begins or ends */
  constructor(private readonly most: number | (() => number)) {}

  /** Runs a task as soon as a slot is free. Resolves or rejects with its result. */
  async take<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    // A task that comes at this moment does not overtake those that wait.
    if (this.isFull || this.waiting.length > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      while (!this.isFull && this.waiting.length > 0) {
        this.running++;
        this.waiting.shift()?.();
      }
    }
  }

  private get isFull(): boolean {
    return this.running >= (typeof this.most === 'number' ? this.most : this.most());
  }
}
