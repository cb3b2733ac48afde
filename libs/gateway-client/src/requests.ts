export type OrderTypeWord =
  'BUY' | 'SELL' | 'BUY_LIMIT' | 'SELL_LIMIT' | 'BUY_STOP' | 'SELL_STOP' | 'BUY_STOP_LIMIT' | 'SELL_STOP_LIMIT';

/** Body of `POST /order`. */
export interface OrderRequest {
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly type: OrderTypeWord;
  readonly price?: number;
  readonly stoplimit?: number;
  readonly sl?: number;
  readonly tp?: number;
  /** Points. */
  readonly deviation?: number;
  readonly magic?: number;
  readonly comment?: string;
  /** ISO-8601 UTC. */
  readonly expiration?: string;
}

/** Body of `POST /modify_sl_tp`; an omitted level is kept. */
export interface ModifySlTpRequest {
  readonly position: number;
  readonly sl?: number;
  readonly tp?: number;
  readonly clear_sl?: boolean;
  readonly clear_tp?: boolean;
}

/** Body of `POST /close_position`; without a volume, or with the position's own, all of it is closed. */
export interface ClosePositionRequest {
  readonly position: { readonly ticket: number; readonly volume?: number };
  readonly deviation?: number;
}

/** `result` of a mutation: the terminal's order-send result. Nulls and zeros mean the server did not say. */
export interface SendResult {
  readonly retcode?: number;
  readonly deal?: number | null;
  readonly order?: number | null;
  readonly volume?: number | null;
  readonly price?: number | null;
}

export interface OrderAnswer {
  readonly state?: 'placed' | 'executed' | 'partially_executed';
  readonly result?: SendResult;
  readonly remaining_volume?: number | null;
  readonly sl_confirmed?: boolean | null;
  readonly tp_confirmed?: boolean | null;
  readonly recovered?: boolean;
}

export interface MutationAnswer {
  readonly result?: SendResult;
}
