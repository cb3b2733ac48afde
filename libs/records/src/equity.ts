import { nullable, number, text } from './field';

/** Balance and equity of the account as they were at one time. */
export const equityReadingFields = {
  at: text('2026-01-05T10:00:00.250Z', 'When they were read, UTC.'),
  balance: number(99511.4, 'Deposit currency.'),
  equity: number(99553.22, 'Deposit currency.'),
};

/** What a page of readings says beside its rows. */
export const equityPageFields = {
  next_since: nullable(
    text('2026-01-05T10:00:00.250Z', 'Value of `since` for the next page; null: there are no more rows.'),
    null,
  ),
  problem: nullable(text('the disk is full', 'Why the newest reading is not on disk; null if nothing is wrong.'), null),
};
