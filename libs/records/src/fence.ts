import { integer, nullable, oneOf, text } from './field';

/** A fence of a strategy, without its magic numbers. */
export const fenceFields = {
  strategy: text('trend'),
  token: integer(7, 'Highest token that was raised; while the fence is held, the token that a raise must exceed.'),
  state: oneOf(
    ['raised', 'held'],
    'raised',
    '`held`: the trade journal was lost or restored since the raise. Every request of the fence is refused until it is ' +
      'raised again.',
  ),
  raised_at: nullable(text('2026-01-05T08:00:00.000Z', 'UTC; null if it was raised in a journal that was lost.')),
};
