/**
 * The gateway's records as its clients use them: the terminal's own field names; times without a suffix are the broker
 * server's wall clock as an epoch, those ending in `_utc` are ISO-8601. Fields nobody reads here are left out.
 */

export interface AccountRecord {
  readonly login: number;
  /** 0 demo, 1 contest, 2 real. */
  readonly trade_mode: number;
  /** 2 is hedging, others net. */
  readonly margin_mode: number;
  readonly balance: number;
  readonly equity: number;
  readonly currency: string;
  readonly server: string;
}

export interface SymbolRecord {
  readonly name: string;
  readonly digits: number;
  readonly point: number;
  readonly volume_min: number;
  readonly volume_max: number;
  readonly volume_step: number;
  readonly trade_contract_size: number;
}

export interface TickRecord {
  /** Server milliseconds. */
  readonly time_msc: number;
  readonly bid: number;
  readonly ask: number;
  readonly time_utc: string | null;
}

export interface BarRecord {
  /** The bar's open, ISO-8601; without a zone when the server's offset is unknown. */
  readonly time: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tick_volume: number;
}

export interface PositionRecord {
  readonly ticket: number;
  readonly magic: number;
  /** 0 buy, 1 sell. */
  readonly type: number;
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly price_open: number;
  readonly price_current: number;
  readonly sl: number;
  readonly tp: number;
  readonly swap: number;
  readonly profit: number;
  readonly time_msc: number;
  readonly time_utc: string | null;
  readonly comment: string;
  readonly client_order_id: string | null;
}

export interface OrderRecord {
  readonly ticket: number;
  readonly magic: number;
  readonly type: number;
  readonly symbol: string;
  readonly state: number;
  readonly position_id: number;
  readonly volume_initial: number;
  readonly volume_current: number;
  readonly price_open: number;
  readonly sl: number;
  readonly tp: number;
  readonly comment: string;
  readonly client_order_id: string | null;
}

export interface DealRecord {
  readonly ticket: number;
  readonly order: number;
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
  readonly time_msc: number;
  readonly time_utc: string | null;
  readonly comment: string;
}

export interface Reconciliation {
  readonly as_of: string;
  readonly positions: readonly PositionRecord[];
  readonly orders: readonly OrderRecord[];
  readonly deals: readonly DealRecord[];
  readonly unresolved: readonly unknown[];
}

export interface HealthReport {
  readonly status: string;
  readonly terminal_status: string;
  readonly account: number | null;
  readonly kill_switch_active: boolean;
}

/** What the gateway's journal knows of an idempotency key. */
export interface TradeRequestReport {
  readonly key: string;
  readonly status: 'in_progress' | 'completed' | 'unknown' | 'recovered' | 'absent';
  readonly response_status: number | null;
  readonly response: unknown;
}
