import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { ChangeableValues, IntentRecord } from '../trade-core/journal-records';
import { TradeJournal } from '../trade-journal/trade-journal';

/** What a change of a position or order may leave as it is. */
export type ChangeableField = keyof ChangeableValues;

/** A list that shows a row as it was before an executed change is not behind for longer than this. */
const longestBehindMs = 60_000;

/** 503: the terminal still shows what a change replaced, so that a value that is kept is not known. Nothing was sent. */
export class ShownAsBefore extends ApiError {
  /** @param what the position or order, as in "position 5" */
  constructor(what: string, ticket: number) {
    const reason = `${what} is shown as it was before its last change`;
    super('account_not_synchronized', `the account is not synchronized: ${reason}; nothing was sent`, {
      details: { reason, tickets: [ticket] },
      headers: { 'retry-after': '1' },
    });
  }
}

/** Checks that what a change keeps is read as the last change left it. */
@Injectable()
export class KeptValues {
  constructor(private readonly journal: TradeJournal) {}

  /**
   * @param what the position or order, as in "position 5"
   * @param shown its values, as the terminal shows them
   * @param kept what the change leaves as it is
   * @throws ShownAsBefore if a value that is kept is shown as it was before an executed change
   */
  require(what: string, ticket: number, shown: ChangeableValues, kept: readonly ChangeableField[]): void {
    const changes = this.journal.intents.lateChanges(ticket, longestBehindMs);
    if (isShownAsBefore(shown, kept, changes)) throw new ShownAsBefore(what, ticket);
  }
}

/**
 * Whether a list still shows, of a value that a change keeps, what an executed change replaced. A change sends the values that it
 * keeps once more, so such a list would take that change back.
 * @param shown the values of the row
 * @param kept the fields that the new change leaves as they are
 * @param changes executed changes of the row, the newest first
 */
export function isShownAsBefore(
  shown: ChangeableValues,
  kept: readonly ChangeableField[],
  changes: readonly Pick<IntentRecord, 'request' | 'standing'>[],
): boolean {
  return kept.some((field) => {
    const last = changes.find(({ request, standing }) => (standing?.[field] ?? request[field]) !== request[field]);
    return last !== undefined && shown[field] === last.standing?.[field];
  });
}

/** Whether a row that is read after an executed change shows what the change set, or what the broker made of it. */
export function isShownSince(shown: ChangeableValues, change: Pick<IntentRecord, 'request' | 'standing'>): boolean {
  return !isShownAsBefore(shown, ['sl', 'tp', 'price', 'stoplimit', 'expiration'], [change]);
}
