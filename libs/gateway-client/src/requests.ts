export type OrderTypeWord =
  'BUY' | 'SELL' | 'BUY_LIMIT' | 'SELL_LIMIT' | 'BUY_STOP' | 'SELL_STOP' | 'BUY_STOP_LIMIT' | 'SELL_STOP_LIMIT';

/** Body of `POST /order` and `POST /order_check`. */
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
  /** By default, a filling that the symbol allows. */
  readonly type_filling?: 'FOK' | 'IOC' | 'RETURN' | 'BOC';
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

/** Body of `PUT /orders/{ticket}`; omitted fields are kept. */
export interface ModifyOrderRequest {
  readonly price?: number;
  readonly stoplimit?: number;
  readonly sl?: number;
  readonly tp?: number;
  /** ISO-8601 UTC. */
  readonly expiration?: string;
  readonly clear_sl?: boolean;
  readonly clear_tp?: boolean;
  readonly clear_expiration?: boolean;
}

/**
 * Body of `POST /close_position`; without a volume, the whole position is closed. Give the volume in one place only.
 */
export interface ClosePositionRequest {
  /** The ticket, or the ticket and lots. */
  readonly position: number | { readonly ticket: number; readonly volume?: number };
  /** Lots, at most the position's. */
  readonly volume?: number;
  /** Points. */
  readonly deviation?: number;
  readonly comment?: string;
}

/** Body of `POST /position_close_partial`; a symbol or type that differs from the position's is rejected. */
export interface ClosePartialRequest {
  readonly ticket: number;
  /** Lots, less than the position has. */
  readonly volume: number;
  readonly symbol?: string;
  readonly type?: 'BUY' | 'SELL';
  /** Points. */
  readonly deviation?: number;
  readonly comment?: string;
}

/** Body of `POST /order_send`: a trade request in the terminal's own fields and numbers; what is omitted is 0 or empty. */
export interface OrderSendRequest {
  /** DEAL 1, PENDING 5, SLTP 6, MODIFY 7, REMOVE 8 or CLOSE_BY 10. */
  readonly action: 1 | 5 | 6 | 7 | 8 | 10;
  readonly magic?: number;
  /** Ticket of the pending order. */
  readonly order?: number;
  readonly symbol?: string;
  /** Lots. */
  readonly volume?: number;
  readonly price?: number;
  readonly stoplimit?: number;
  /** 0 removes it, of SLTP and MODIFY. */
  readonly sl?: number;
  /** 0 removes it, of SLTP and MODIFY. */
  readonly tp?: number;
  /** Points. */
  readonly deviation?: number;
  readonly type?: number;
  readonly type_filling?: number;
  readonly type_time?: number;
  /** Seconds of the broker server's clock. */
  readonly expiration?: number;
  readonly comment?: string;
  /** Ticket of the position. */
  readonly position?: number;
  /** Ticket of the opposite position. */
  readonly position_by?: number;
}

/** Body of `POST /close_all_positions`; without any of these, all are closed. */
export interface CloseAllRequest {
  readonly order_type?: 'all' | 'BUY' | 'SELL';
  readonly magic?: number;
  readonly symbol?: string;
}
