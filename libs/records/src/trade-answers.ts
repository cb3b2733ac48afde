import { flag, integer, nullable, number, oneOf, text } from './field';

const unconfirmed = 'Read back; null if it could not be.';

/** What the answer to every trade request has, besides the terminal's result. */
export const mutationFields = {
  message: text('BUY 0.1 EURUSD executed at 1.17279', 'Human-readable result.'),
  client_order_id: nullable(text('my-bot-2026-01-05-0001', 'The idempotency key of the request; null without one.')),
};

/** Where the price of a fill was read. */
const fillPriceSource = oneOf(['order_send', 'deal', 'position', 'unresolved'], 'order_send');

/** An order that was sent (POST /order). */
export const orderAnswerFields = {
  state: oneOf(
    ['placed', 'executed', 'partially_executed'],
    'executed',
    '`placed`: accepted and waiting, as a pending order does, or a market order whose fill is not seen yet.',
  ),
  partial_fill: flag(false, 'Less than the requested volume was executed.'),
  remaining_volume: number(0, 'Lots of the request that are not executed.'),
  fill_price_source: nullable({
    ...fillPriceSource,
    description: 'Where the price was read; `unresolved` while it is not known, null for a pending order.',
  }),
  position: nullable(integer(530218319, 'Ticket of the position, which may be closed since; null if not read.')),
  sl_confirmed: nullable(
    flag(
      true,
      'The stop loss was read back from the position or order; null when none was requested or none could be read.',
    ),
  ),
  tp_confirmed: nullable(flag(true), null),
};

/** The levels in force, and whether they were read back. */
const confirmedLevels = {
  sl_confirmed: nullable(flag(true, unconfirmed)),
  tp_confirmed: nullable(flag(true)),
};

/** A position whose levels were changed (POST /modify_sl_tp). */
export const levelsAnswerFields = {
  position: integer(530218319),
  sl: nullable(number(1.09, 'Stop loss now in force; null: none.')),
  tp: nullable(number(1.12, 'Take profit now in force; null: none.')),
  ...confirmedLevels,
  no_changes: flag(false, 'The levels were already as requested (10025).'),
};

/** A pending order that was changed (PUT /orders/{ticket}). */
export const orderChangeFields = {
  ticket: integer(530218319),
  price: number(1.05, 'Price now in force.'),
  stoplimit: nullable(number(1.06, 'Limit price of a stop-limit order.'), null),
  sl: nullable(number(1.04, 'Stop loss now in force; null: none.')),
  tp: nullable(number(1.07, 'Take profit now in force; null: none.')),
  time_expiration_utc: nullable(
    text('2026-12-31T21:00:00Z', 'UTC; null without an expiration, or while the server offset is unknown.'),
  ),
  ...confirmedLevels,
  no_changes: flag(false, 'The order was already as requested (10025).'),
};

/** A pending order that was cancelled (DELETE /orders/{ticket}). */
export const cancelAnswerFields = {
  ticket: integer(530218319),
  state: oneOf(['cancelled'], 'cancelled'),
};

/** A position that was closed (POST /close_position and POST /position_close_partial). */
export const closeAnswerFields = {
  state: oneOf(
    ['closed', 'partially_closed', 'placed'],
    'closed',
    'placed: the broker accepted the close (10008), and no fill was seen yet, or it has nothing to close (10036), and the list still shows the position. It may still be open.',
  ),
  position: integer(530218319, 'Ticket of the position.'),
  closed_volume: number(0.1, 'Lots that this request closed.'),
  remaining_volume: number(0, 'Lots of the position that remain open, by a read after the close.'),
  fill_price_source: nullable(fillPriceSource),
  profit: nullable(
    number(-22.35, 'Result of the closing deals with swap, commission and fee, deposit currency; null while not seen.'),
  ),
  already_closed: flag(
    false,
    'The broker says that the position was already closed (10036); it had nothing left to close.',
  ),
};

/** A trade request in the terminal's form that was carried out (POST /order_send). */
export const orderSendAnswerFields = {
  state: oneOf(
    ['placed', 'executed', 'partially_executed', 'closed', 'partially_closed', 'changed', 'cancelled'],
    'executed',
    'What became of the order or position. `placed`: accepted and waiting, or no fill was seen yet.',
  ),
  position: nullable(
    integer(530218319, 'Ticket of the position that was opened, changed or closed; null for an order, or if not read.'),
  ),
  remaining_volume: nullable(
    number(0, 'Lots: of an entry those that are not executed, of a close those of the position that remain open.'),
    null,
  ),
  remaining_volume_by: nullable(number(0, 'Close by: lots of `position_by` that remain open.'), null),
  profit: nullable(number(-22.35, 'Of a close, as of POST /close_position; null while not seen.'), null),
};

/** A position that was closed among others. */
export const closedItemFields = {
  ticket: integer(530218319, 'Ticket of the position.'),
  symbol: text('EURUSD'),
  volume: number(0.1, 'Lots closed.'),
  price: nullable(number(1.17264, 'Null while it is not known.')),
  deal: nullable(integer(513149059)),
  profit: nullable(number(-22.35, 'Deposit currency; null while not seen.')),
};

/** A pending order that was cancelled among others. */
export const cancelledItemFields = {
  ticket: integer(530218320),
  symbol: text('EURUSD'),
};

/** The sums over the positions of one request to close all. */
export const closeAllResultFields = {
  positions: integer(2, 'Positions that matched the filters.'),
  closed: integer(2, 'Positions that were closed, wholly or in part.'),
  failed: integer(0),
  closed_volume: number(0.2, 'Lots closed, of all symbols.'),
  profit: nullable(number(-22.35, 'Deposit currency; null while the profit of one of them is not known.')),
};
