/** Limits how many tasks run at a time; the others wait in the order in which they came. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs a task as soon as a slot is free. Resolves or rejects with its result. */
  async take<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A slot is passed on directly: a task that comes at this moment does not overtake those that wait.
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
