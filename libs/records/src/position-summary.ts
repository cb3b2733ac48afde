import { flag, integer, nullable, number, text, without } from './field';

/** What the deals of one position add up to, as the API gives it. */
export const positionSummaryRowFields = {
  ticket: integer(530218319, 'The requested ticket.'),
  symbol: text('USDCHF'),
  type: integer(0, 'The side it was opened on: 0 buy, 1 sell.'),
  type_str: text('BUY'),
  magic: integer(1000),
  volume_opened: number(0.01, 'Lots.'),
  volume_closed: number(0.01, 'Lots.'),
  closed: flag(true, 'True only when the whole opened volume has been closed.'),
  price_open: nullable(number(0.97898, 'Volume-weighted.')),
  price_close: nullable(number(0.95758, 'Volume-weighted; null until volume has been closed.')),
  profit: number(-22.35, 'Sum over its deals, in the deposit currency.'),
  commission: number(-0.08),
  swap: number(0),
  fee: number(0),
  time_open: integer(1582282114, 'Broker server time as an epoch, in seconds; not UTC.'),
  time_open_msc: integer(1582282114681),
  time_open_utc: nullable(text('2020-02-21T08:48:34.681Z')),
  time_close: nullable(integer(1582303777)),
  time_close_msc: nullable(integer(1582303777582)),
  time_close_utc: nullable(text('2020-02-21T14:49:37.582Z')),
  deals: integer(2, 'Number of deals added up.'),
  comment: text('[tp 0.95758]', 'Of the last deal that closed volume, or of the opening one.'),
  volume: number(0.01, 'The same as `volume_opened`.'),
  open_price: nullable(number(0.97898, 'The same as `price_open`.')),
  close_price: nullable(number(0.95758, 'The same as `price_close`.')),
  open_time: nullable(text('2020-02-21T08:48:34.681Z', 'The same as `time_open_utc`.')),
  close_time: nullable(text('2020-02-21T14:49:37.582Z', 'The same as `time_close_utc`.')),
};

/** One leg of a position: what was opened on one side, until it was closed or reversed. */
export const positionLegFields = {
  ...without(positionSummaryRowFields, 'volume', 'open_price', 'close_price', 'open_time', 'close_time'),
  ticket: integer(530218319, 'Of the order that opened it; the ticket of the position while this leg was open.'),
};

/** The same without second names for clients of other gateways, and without words beside numbers. */
export const positionSummaryFields = without(
  positionSummaryRowFields,
  'type_str',
  'volume',
  'open_price',
  'close_price',
  'open_time',
  'close_time',
);
