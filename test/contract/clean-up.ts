/** What has to be undone, in reverse, also of a set-up that failed half way: no process may outlive its tests. */
export class CleanUp {
  private readonly steps: (() => Promise<unknown>)[] = [];

  /** Notes how to undo something, and gives it back. */
  after<T>(made: T, undo: (made: T) => Promise<unknown>): T {
    this.steps.push(() => undo(made));
    return made;
  }

  async run(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) await step();
  }
}
