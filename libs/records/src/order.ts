import { integer, nullable, number, text, without } from './field';

/** An order, pending or done: the terminal's 24 fields, its main times in UTC and its enumerations in words. */
export const orderRowFields = {
  ticket: integer(530218319),
  time_setup: integer(1582282114, 'Broker server time as an epoch, in seconds; not UTC.'),
  time_setup_msc: integer(1582282114681),
  time_setup_utc: nullable(text('2020-02-21T08:48:34.681Z')),
  time_done: integer(1582303777, '0 while it is not done.'),
  time_done_msc: integer(1582303777582),
  time_done_utc: nullable(text('2020-02-21T14:49:37.582Z')),
  time_expiration: integer(0, 'Broker server time as an epoch; 0 without an expiration.'),
  time_expiration_utc: nullable(text('2020-02-28T00:00:00.000Z'), null),
  type: integer(2, '0 buy, 1 sell, 2 buy limit, 3 sell limit, 4 buy stop, 5 sell stop ...'),
  type_str: text('BUY_LIMIT'),
  type_time: integer(0, '0 GTC, 1 day, 2 specified, 3 specified day.'),
  type_filling: integer(2, '0 FOK, 1 IOC, 2 RETURN, 3 BOC.'),
  state: integer(4, '1 placed, 2 canceled, 3 partial, 4 filled, 5 rejected, 6 expired.'),
  state_str: text('FILLED'),
  magic: integer(1000),
  position_id: integer(530218319),
  position_by_id: integer(0),
  reason: integer(3, '0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out.'),
  volume_initial: number(0.01, 'Lots.'),
  volume_current: number(0, 'Lots that are not filled.'),
  price_open: number(0.97898),
  sl: number(0),
  tp: number(0),
  price_current: number(0.97863),
  price_stoplimit: number(0),
  symbol: text('USDCHF'),
  comment: text(''),
  external_id: text(''),
};

/** An order as the API gives it: with the key it came from. */
export const keyedOrderRowFields = {
  ...orderRowFields,
  client_order_id: nullable(
    text(
      'my-bot-2026-01-05-0001',
      'Idempotency key of the request that placed it, if this gateway sent it under one; kept for 100 days.',
    ),
  ),
};

/** An order as the terminal lists it. Times are the broker server's clock. */
export const orderFields = without(
  orderRowFields,
  'type_str',
  'state_str',
  'time_setup_utc',
  'time_done_utc',
  'time_expiration_utc',
);
