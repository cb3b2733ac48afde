import { integer, number } from './field';

/** A row of the market depth. */
export const bookFields = {
  type: integer(1, 'SELL 1, BUY 2, SELL_MARKET 3, BUY_MARKET 4.'),
  price: number(1.17279),
  volume: integer(250, 'Lots, whole.'),
  volume_dbl: number(250, 'Lots.'),
};
