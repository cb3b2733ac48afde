/** Consecutive turns that pieces wait for more urgent work; after them, some run all the same. */
const mostTurnsPassed = 100;

/**
 * Runs work a few pieces at a time, in order of arrival, with the event loop free in between, so that a crowd of
 * clients does not delay the others.
 */
export class Turns {
  private waiting: (() => void)[] = [];
  /** Pieces that still fit in the current turn of the event loop. */
  private room: number;
  private isScheduled = false;
  /** Turns that are left to other work. They are counted only while pieces wait. */
  private toPass = 0;
  /** Consecutive turns that were left to other work. */
  private passed = 0;

  /** @param most pieces in one turn of the event loop */
  constructor(private readonly most: number) {
    this.room = most;
  }

  /** Runs a piece now if it fits in this turn, else in a later one. */
  take(piece: () => void): void {
    this.makeRoomLater();
    if (this.room === 0 || this.toPass > 0) {
      this.waiting.push(piece);
      return;
    }
    this.room -= 1;
    piece();
  }

  /** Leaves a number of turns to other work, unless pieces have waited for too many already. */
  pass(turns: number): void {
    this.toPass = Math.max(this.toPass, turns);
  }

  private makeRoomLater(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.isScheduled = false;
    if (this.waiting.length > 0 && this.toPass > 0 && this.passed < mostTurnsPassed) {
      this.toPass -= 1;
      this.passed += 1;
      return this.makeRoomLater();
    }
    this.passed = 0;
    const pieces = this.waiting.slice(0, this.most);
    this.waiting = this.waiting.slice(pieces.length);
    this.room = this.most - pieces.length;
    if (pieces.length > 0) this.makeRoomLater();
    for (const piece of pieces) piece();
  }
}
