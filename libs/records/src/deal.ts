import { integer, nullable, number, text, without } from './field';

/** A deal: the terminal's 18 fields, its time in UTC and its enumerations in words. */
export const dealRowFields = {
  ticket: integer(513149059),
  order: integer(535548147, 'Ticket of the order that made it; 0 for balance operations.'),
  time: integer(1582303777, 'Broker server time as an epoch, in seconds; not UTC.'),
  time_msc: integer(1582303777582, 'Broker server time as an epoch, in milliseconds; not UTC.'),
  time_utc: nullable(text('2020-02-21T14:49:37.582Z')),
  type: integer(1, '0 buy, 1 sell, 2 balance; higher numbers are not trades.'),
  type_str: text('SELL'),
  entry: integer(1, '0 in, 1 out, 2 in/out, 3 out by.'),
  entry_str: text('OUT'),
  magic: integer(1000),
  position_id: integer(530218319, "The position's identifier; 0 when it belongs to none."),
  reason: integer(3, '0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out, 7 rollover.'),
  volume: number(0.01, 'Lots.'),
  price: number(0.95758),
  commission: number(-0.04),
  swap: number(0),
  profit: number(-22.35, 'In the deposit currency, without commission, swap and fee.'),
  fee: number(0),
  symbol: text('USDCHF'),
  comment: text(''),
  external_id: text(''),
};

/** A deal as the API gives it: with the key it came from. */
export const keyedDealRowFields = {
  ...dealRowFields,
  client_order_id: nullable(
    text(
      'my-bot-2026-01-05-0001',
      'Idempotency key of the request whose order made it, if this gateway sent it under one; kept for 100 days.',
    ),
  ),
};

/** A deal as the terminal lists it. Times are the broker server's clock. */
export const dealFields = without(dealRowFields, 'time_utc', 'type_str', 'entry_str');
