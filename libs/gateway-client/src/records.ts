/**
 * The gateway's records as its clients use them: the terminal's own field names; times without a suffix are the broker
 * server's wall clock as an epoch, those ending in `_utc` are ISO-8601, null while the server's offset is unknown. The
 * words beside the terminal's numbers (`type_str` and the like) are left out: the numbers say the same.
 */

/** The account; money in its own currency. */
export interface AccountRecord {
  readonly login: number;
  /** 0 demo, 1 contest, 2 real. */
  readonly trade_mode: number;
  readonly leverage: number;
  readonly limit_orders: number;
  readonly margin_so_mode: number;
  readonly trade_allowed: boolean;
  readonly trade_expert: boolean;
  /** 2 is hedging, others net. */
  readonly margin_mode: number;
  readonly currency_digits: number;
  readonly fifo_close: boolean;
  readonly balance: number;
  readonly credit: number;
  readonly profit: number;
  readonly equity: number;
  readonly margin: number;
  readonly margin_free: number;
  /** Percent; 0 without positions. */
  readonly margin_level: number;
  readonly margin_so_call: number;
  readonly margin_so_so: number;
  readonly margin_initial: number;
  readonly margin_maintenance: number;
  readonly assets: number;
  readonly liabilities: number;
  readonly commission_blocked: number;
  readonly name: string;
  readonly server: string;
  readonly currency: string;
  readonly company: string;
}

export interface TickRecord {
  /** Server seconds. */
  readonly time: number;
  readonly bid: number;
  readonly ask: number;
  readonly last: number;
  readonly volume: number;
  /** Server milliseconds. */
  readonly time_msc: number;
  readonly flags: number;
  readonly volume_real: number;
  readonly time_utc: string | null;
}

export interface BarRecord {
  /** The bar's open, ISO-8601; without a zone when the server's offset is unknown. */
  readonly time: string;
  /** The bar's open on the server's clock, in seconds: orders bars, and stays the same when the server's offset becomes known. */
  readonly time_server: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tick_volume: number;
}

/** A bar with all the terminal has of it. */
export interface FullBarRecord extends BarRecord {
  /** Points. */
  readonly spread: number;
  readonly real_volume: number;
}

export interface PositionRecord {
  readonly ticket: number;
  /** Server seconds. */
  readonly time: number;
  readonly time_msc: number;
  readonly time_update: number;
  readonly time_update_msc: number;
  /** 0 buy, 1 sell. */
  readonly type: number;
  readonly magic: number;
  readonly identifier: number;
  readonly reason: number;
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly price_open: number;
  readonly price_current: number;
  /** 0 is none, of `tp` as well. */
  readonly sl: number;
  readonly tp: number;
  readonly swap: number;
  readonly profit: number;
  readonly comment: string;
  readonly external_id: string;
  readonly time_utc: string | null;
  /** The idempotency key it came from; null when it came from elsewhere. */
  readonly client_order_id: string | null;
}

/** The terminal's fields of an order, pending or done. */
interface TerminalOrder {
  readonly ticket: number;
  /** Server seconds, as the other times without a suffix. */
  readonly time_setup: number;
  readonly time_setup_msc: number;
  readonly time_done: number;
  readonly time_done_msc: number;
  /** 0 is none. */
  readonly time_expiration: number;
  readonly type: number;
  readonly type_time: number;
  readonly type_filling: number;
  readonly state: number;
  readonly magic: number;
  readonly position_id: number;
  readonly position_by_id: number;
  readonly reason: number;
  /** Lots. */
  readonly volume_initial: number;
  readonly volume_current: number;
  readonly price_open: number;
  readonly sl: number;
  readonly tp: number;
  readonly price_current: number;
  readonly price_stoplimit: number;
  readonly symbol: string;
  readonly comment: string;
  readonly external_id: string;
}

/** A pending order. */
export interface OrderRecord extends TerminalOrder {
  /** The idempotency key it came from; null when it came from elsewhere. */
  readonly client_order_id: string | null;
}

/** An order of the history, and its times in UTC. */
export interface HistoryOrderRecord extends OrderRecord {
  readonly time_setup_utc: string | null;
  readonly time_done_utc: string | null;
  readonly time_expiration_utc: string | null;
}

export interface DealRecord {
  readonly ticket: number;
  readonly order: number;
  /** Server seconds. */
  readonly time: number;
  readonly time_msc: number;
  /** 0 buy, 1 sell; higher numbers are not trades. */
  readonly type: number;
  /** 0 in, 1 out, 2 in/out, 3 out by. */
  readonly entry: number;
  readonly magic: number;
  readonly position_id: number;
  /** 3 expert, 4 sl, 5 tp, 6 stop out. */
  readonly reason: number;
  readonly volume: number;
  readonly price: number;
  readonly commission: number;
  readonly swap: number;
  readonly profit: number;
  readonly fee: number;
  readonly symbol: string;
  readonly comment: string;
  readonly external_id: string;
  readonly time_utc: string | null;
  /** The idempotency key of the request whose order made it; null when it came from elsewhere. */
  readonly client_order_id: string | null;
}
