import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { sameVolume, subtractVolume, type TradePosition } from '@libs/terminal-client';
import type { ChangeableValues, IntentRecord } from '../trade-core/journal-records';
import { TradeJournal } from '../trade-journal/trade-journal';

/** What a change of a position or order may leave as it is. */
export type ChangeableField = keyof ChangeableValues;

/** A list that shows a row as it was before an executed change is not behind for longer than this. */
export const longestBehindMs = 60_000;

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

/** What a request takes over from a list, as the last request left it. */
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

  /** A position with the lots that are left of it, by the {@link lotsLeft} of its executed closes. */
  left(position: TradePosition): TradePosition {
    const closes = this.journal.intents.lateCloses(position.identifier, longestBehindMs);
    return { ...position, volume: lotsLeft(position, closes) };
  }
}

/**
 * Lots of a position that are left after its executed closes: a list that is behind shows it as it was before some of them, and the
 * broker refuses to close more than there is. The lots that are shown if nothing would be left.
 * @param closes executed closes of a part of it, the oldest first
 */
export function lotsLeft(
  shown: Pick<TradePosition, 'volume' | 'time_update_msc'>,
  closes: readonly Pick<IntentRecord, 'positionVolume' | 'serverTimeMsc' | 'request' | 'outcome'>[],
): number {
  const first = closes.findIndex(
    ({ positionVolume, serverTimeMsc }) =>
      sameVolume(positionVolume, shown.volume) && shown.time_update_msc < serverTimeMsc,
  );
  if (first === -1) return shown.volume;
  const left = closes.slice(first).reduce((volume, close) => subtractVolume(volume, closedBy(close)), shown.volume);
  return left > 0 ? left : shown.volume;
}

function closedBy({ request, outcome }: Pick<IntentRecord, 'request' | 'outcome'>): number {
  return (outcome.kind === 'done' && outcome.result.volume) || request.volume;
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
