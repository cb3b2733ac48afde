import { integer, number, text, without } from './field';

/** A bar as the API gives it. */
export const barRowFields = {
  time: text(
    '2026-01-05T10:00:00Z',
    "The bar's open. Ends in Z while `time_basis` is `utc`; else it is the server's clock, without a zone.",
  ),
  time_server: integer(
    1767614400,
    "The bar's open on the broker server's clock, in seconds, as the terminal reports it. It orders and identifies bars even if the offset of that clock is unknown.",
  ),
  open: number(1.17264),
  high: number(1.17281),
  low: number(1.17255),
  close: number(1.17279),
  tick_volume: integer(84, 'Number of price changes.'),
  spread: integer(12, 'Points.'),
  real_volume: integer(0, 'Traded volume, where the symbol has one.'),
};

/** A bar as the terminal gives it; `time` is the server second at which it opens. */
export const barFields = { time: barRowFields.time_server, ...without(barRowFields, 'time', 'time_server') };
