import { Injectable } from '@nestjs/common';

/**
 * Serializes changes of one position or order. A change repeats the fields that it keeps, because the terminal takes 0
 * for "remove"; so it must read what the previous change set.
 */
@Injectable()
export class ChangeTurns {
  /** The completion of the newest change, by ticket. */
  private readonly last = new Map<number, Promise<void>>();

  /** Runs a change after all earlier changes of the same ticket, failed ones included. */
  async run<T>(ticket: number, change: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(ticket) ?? Promise.resolve()).then(change);
    const forget = (): void => this.forget(ticket, end);
    const end: Promise<void> = mine.then(forget, forget);
    this.last.set(ticket, end);
    return mine;
  }

  private forget(ticket: number, end: Promise<void>): void {
    if (this.last.get(ticket) === end) this.last.delete(ticket);
  }
}
