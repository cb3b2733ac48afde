import { integer, nullable, number, oneOf, text, without } from './field';

/** A position as the API gives it: the terminal's 19 fields, and what is derived from them. */
export const positionRowFields = {
  ticket: integer(530218319),
  time: integer(1585070338, 'When it was opened: broker server seconds, not UTC.'),
  time_msc: integer(1585070338728, 'Broker server milliseconds, not UTC.'),
  time_update: integer(1585070338),
  time_update_msc: integer(1585070338728),
  type: integer(0, '0 buy, 1 sell.'),
  magic: integer(7001),
  identifier: integer(530218319, 'Stays the same for the life of the position.'),
  reason: integer(3, '0 desktop, 1 mobile, 2 web, 3 expert or API.'),
  volume: number(0.1, 'Lots.'),
  price_open: number(1.17279),
  sl: number(1.16, '0: none.'),
  tp: number(1.19, '0: none.'),
  price_current: number(1.17264),
  swap: number(0),
  profit: number(-1.5, 'Floating result in the deposit currency, without swap and commission.'),
  symbol: text('EURUSD'),
  comment: text('#1k2m3n4p5q'),
  external_id: text(''),
  type_str: oneOf(['BUY', 'SELL'], 'BUY'),
  time_utc: nullable(
    text('2020-03-24T15:18:58.728Z', 'When it was opened, UTC; null while the server offset is unknown.'),
  ),
  client_order_id: nullable(
    text('my-bot-2026-01-05-0001', 'Idempotency key of the order it came from, if this gateway placed it under one.'),
  ),
};

/** A position as the terminal lists it. Times are the broker server's clock. */
export const positionFields = without(positionRowFields, 'type_str', 'time_utc', 'client_order_id');
