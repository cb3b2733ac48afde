import { flag, integer, nullable, number, text, without } from './field';

/** What `order_send` answers. A price, deal or order of 0 means that the server did not say. */
export const sendResultFields = {
  retcode: integer(10009, "The trade server's return code."),
  deal: integer(507962919, 'Ticket of the deal.'),
  order: integer(530218319, 'Ticket of the order.'),
  volume: number(0.1, 'Executed volume in lots.'),
  price: number(1.17279, 'Price of the deal.'),
  bid: number(1.17264),
  ask: number(1.17279),
  comment: text('Request executed'),
  request_id: integer(1),
  retcode_external: integer(0, "The exchange's or bridge's own code."),
};

/** A trade request in the terminal's fields and numbers; 0 or an empty text where a field does not apply. */
export const terminalRequestFields = {
  action: integer(1, 'DEAL 1, PENDING 5, SLTP 6, MODIFY 7, REMOVE 8, CLOSE_BY 10.'),
  magic: integer(7001),
  order: integer(0, 'Ticket of the pending order.'),
  symbol: text('EURUSD'),
  volume: number(0.1, 'Lots.'),
  price: number(1.17279),
  stoplimit: number(0),
  sl: number(0),
  tp: number(0),
  deviation: integer(20, 'Points.'),
  type: integer(0, 'The number of an order type: BUY 0 to SELL_STOP_LIMIT 7.'),
  type_filling: integer(0, 'FOK 0, IOC 1, RETURN 2, BOC 3.'),
  type_time: integer(0, 'GTC 0, DAY 1, SPECIFIED 2, SPECIFIED_DAY 3.'),
  expiration: integer(0, "Seconds of the broker server's clock."),
  comment: text('#1k2m3n4p5q'),
  position: integer(0, 'Ticket of the position.'),
  position_by: integer(0, 'Ticket of the opposite position.'),
};

/** What `order_send` answers, with the return code's name. */
export const terminalResultFields = {
  retcode: sendResultFields.retcode,
  retcode_name: text('DONE'),
  ...without(sendResultFields, 'retcode'),
};

/** The same as the API gives it: null where the server did not say. */
export const sendResultRowFields = {
  retcode: sendResultFields.retcode,
  retcode_name: text('DONE'),
  deal: nullable(sendResultFields.deal),
  order: nullable(sendResultFields.order),
  volume: nullable(sendResultFields.volume),
  price: nullable(number(1.17279, 'Price of the deal; null while it is not known, never 0.')),
  bid: nullable(sendResultFields.bid),
  ask: nullable(sendResultFields.ask),
  comment: sendResultFields.comment,
  request_id: sendResultFields.request_id,
  retcode_external: sendResultFields.retcode_external,
};

/** What the API answers about an order that is not sent. */
export const checkRowFields = {
  valid: flag(true, 'The terminal accepts the order; this does not guarantee a fill.'),
  retcode: integer(0, '0 when it passed, else the return code of the rejection.'),
  retcode_name: text('DONE', 'DONE when it passed.'),
  comment: text('Done'),
  balance: number(101300.53, 'After the order, as the other amounts; deposit currency.'),
  equity: number(68319.53),
  profit: number(-32981),
  margin: number(51193.67, 'Of the whole account, not of the order alone.'),
  margin_free: number(17125.86),
  margin_level: number(133.45308121101692, 'Percent.'),
};

/** What `order_check` answers; `retcode` 0 is "passed". Money in the deposit currency. */
export const checkResultFields = without(checkRowFields, 'valid', 'retcode_name');
