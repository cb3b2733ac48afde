import type { checkRowFields, RecordOf } from '@libs/records';
import type { OrderTypeWord } from './requests';

/** Body of `POST /order_calc_margin`; without a price, the margin at the market. */
export interface CalcMarginRequest {
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly type: OrderTypeWord;
  readonly price?: number;
}

/** Body of `POST /order_calc_profit`. */
export interface CalcProfitRequest {
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly type: 'BUY' | 'SELL';
  readonly price_open: number;
  readonly price_close: number;
}

/** What the terminal would say to an order; money in the deposit currency, as it would be after the order. */
export type OrderCheck = Readonly<RecordOf<typeof checkRowFields>>;
