/** Runs tasks one at a time, in the order in which they were submitted. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects with what the work comes to. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
