import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';

/** How often a change is made again because what it was made from changed. */
const rounds = 3;

/** 503: what a change was made from was replaced before the change was sent. Nothing was sent. */
export class ChangedMeanwhile extends ApiError {
  /** @param what the position or order, as in "position 5" */
  constructor(what: string) {
    super('terminal_unavailable', `${what} changed after it was read: nothing was sent`, {
      details: { reason: 'changed_meanwhile' },
    });
  }
}

/**
 * Serializes changes of one position or order. A change repeats the fields that it keeps, because the terminal takes 0
 * for "remove"; so it must read what the previous change set.
 */
@Injectable()
export class ChangeTurns {
  /** The completion of the newest change, by ticket. */
  private readonly last = new Map<number, Promise<void>>();

  /**
   * Runs a change after all earlier changes of the same ticket, failed ones included. It runs again, from a new read, if the
   * broker replaced what it keeps.
   * @throws ChangedMeanwhile if that happens each time
   */
  async run<T>(ticket: number, change: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(ticket) ?? Promise.resolve()).then(() => untilItStands(change));
    const forget = (): void => this.forget(ticket, end);
    const end: Promise<void> = mine.then(forget, forget);
    this.last.set(ticket, end);
    return mine;
  }

  private forget(ticket: number, end: Promise<void>): void {
    if (this.last.get(ticket) === end) this.last.delete(ticket);
  }
}

async function untilItStands<T>(change: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || round === rounds) throw error;
    }
  }
}
