/** What has to be undone, in reverse, also of a set-up that failed half way: no process may outlive its tests. */
export class CleanUp {
  private readonly steps: (() => Promise<unknown>)[] = [];

  /** Notes how to undo something, and gives it back. */
  after<T>(made: T, undo: (made: T) => Promise<unknown>): T {
    this.steps.push(() => undo(made));
    return made;
  }

  /** @throws the first error of a step, after all steps */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
