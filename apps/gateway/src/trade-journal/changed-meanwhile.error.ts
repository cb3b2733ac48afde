import { ApiError } from '@libs/envelope';

/** 503: what a request was made from changed before it was sent. Nothing was sent. */
export class ChangedMeanwhile extends ApiError {
  /** @param what the position or order, as in "position 5" */
  constructor(what: string) {
    super('terminal_unavailable', `${what} changed after it was read: nothing was sent`, {
      details: { reason: 'changed_meanwhile' },
    });
  }
}
