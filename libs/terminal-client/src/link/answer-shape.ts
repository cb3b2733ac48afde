import type {
  AccountInfo,
  BarColumns,
  SymbolInfo,
  TerminalInfo,
  Tick,
  TickColumns,
  TradeDeal,
  TradeOrder,
  TradePosition,
} from '../records';
import type { OrderCheckResult, OrderSendResult } from '../trade-request';
import { isObject } from './link-protocol';

type Kind = 'number' | 'string' | 'boolean';
type KindOf<T> = T extends number ? 'number' : T extends boolean ? 'boolean' : 'string';
/** What each field has to be, total by the compiler; fields the terminal adds later are let through. */
type Shape<T> = { readonly [Name in keyof T]-?: KindOf<T[Name]> };

/** An answer that is not what the terminal would say; nothing in it is believed. */
export class MalformedAnswer extends Error {}

/** Reads one record. @throws MalformedAnswer naming the field */
export function record<T>(shape: Shape<T>): (value: unknown) => T {
  const fields = Object.entries<Kind>(shape as Record<string, Kind>);
  return (value) => {
    if (!isObject(value)) throw new MalformedAnswer('a record was expected');
    for (const [name, kind] of fields) {
      if (typeof value[name] !== kind) throw new MalformedAnswer(`"${name}" is no ${kind}`);
    }
    return value as T;
  };
}

export function listOf<T>(read: (value: unknown) => T): (value: unknown) => T[] {
  return (value) => {
    if (!Array.isArray(value)) throw new MalformedAnswer('a list was expected');
    return value.map(read);
  };
}

export function nullable<T>(read: (value: unknown) => T): (value: unknown) => T | null {
  return (value) => (value === null ? null : read(value));
}

export function numberAnswer(value: unknown): number {
  if (typeof value !== 'number') throw new MalformedAnswer('a number was expected');
  return value;
}

export function booleanAnswer(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new MalformedAnswer('a boolean was expected');
  return value;
}

/** Reads columns: all there, all numbers, all equally long. */
function columns<T>(names: { readonly [Name in keyof T]-?: true }): (value: unknown) => T {
  const required = Object.keys(names);
  return (value) => {
    if (!isObject(value)) throw new MalformedAnswer('columns were expected');
    let rows = -1;
    for (const name of required) {
      const column = value[name];
      if (!Array.isArray(column)) throw new MalformedAnswer(`column "${name}" is missing`);
      if (rows !== -1 && column.length !== rows) throw new MalformedAnswer('the columns are of different lengths');
      rows = column.length;
      if (!column.every((cell) => typeof cell === 'number')) throw new MalformedAnswer(`column "${name}" has gaps`);
    }
    return value as T;
  };
}

export const barColumns = columns<BarColumns>({
  time: true,
  open: true,
  high: true,
  low: true,
  close: true,
  tick_volume: true,
  spread: true,
  real_volume: true,
});

export const tickColumns = columns<TickColumns>({
  time: true,
  bid: true,
  ask: true,
  last: true,
  volume: true,
  time_msc: true,
  flags: true,
  volume_real: true,
});

const n = 'number';
const s = 'string';
const b = 'boolean';

export const accountInfo = record<AccountInfo>({
  ...{ login: n, trade_mode: n, leverage: n, limit_orders: n, margin_so_mode: n, trade_allowed: b, trade_expert: b },
  ...{ margin_mode: n, currency_digits: n, fifo_close: b, balance: n, credit: n, profit: n, equity: n, margin: n },
  ...{ margin_free: n, margin_level: n, margin_so_call: n, margin_so_so: n, margin_initial: n, margin_maintenance: n },
  ...{ assets: n, liabilities: n, commission_blocked: n, name: s, server: s, currency: s, company: s },
});

export const terminalInfo = record<TerminalInfo>({
  ...{ community_account: b, community_connection: b, connected: b, dlls_allowed: b, trade_allowed: b },
  ...{ tradeapi_disabled: b, email_enabled: b, ftp_enabled: b, notifications_enabled: b, mqid: b, build: n },
  ...{ maxbars: n, codepage: n, ping_last: n, community_balance: n, retransmission: n, company: s, name: s },
  ...{ language: s, path: s, data_path: s, commondata_path: s },
});

/** The fields that orders are checked by; the other eighty are passed on as the terminal gave them. */
type CheckedSymbolField =
  | 'name'
  | 'digits'
  | 'point'
  | 'visible'
  | 'bid'
  | 'ask'
  | 'trade_mode'
  | 'trade_exemode'
  | 'trade_stops_level'
  | 'trade_freeze_level'
  | 'trade_tick_size'
  | 'trade_contract_size'
  | 'volume_min'
  | 'volume_max'
  | 'volume_step'
  | 'volume_limit'
  | 'filling_mode'
  | 'order_mode'
  | 'expiration_mode';

const checkedSymbol = record<Pick<SymbolInfo, CheckedSymbolField>>({
  ...{ name: s, digits: n, point: n, visible: b, bid: n, ask: n, trade_mode: n, trade_exemode: n, volume_min: n },
  ...{ trade_stops_level: n, trade_freeze_level: n, trade_tick_size: n, trade_contract_size: n, volume_max: n },
  ...{ volume_step: n, volume_limit: n, filling_mode: n, order_mode: n, expiration_mode: n },
});

export function symbolInfo(value: unknown): SymbolInfo {
  return checkedSymbol(value) as SymbolInfo;
}

export const tick = record<Tick>({
  ...{ time: n, bid: n, ask: n, last: n, volume: n, time_msc: n, flags: n, volume_real: n },
});

/** For quotes that nobody asked for, which are worth no error. */
export function isTick(value: unknown): value is Tick {
  try {
    tick(value);
    return true;
  } catch {
    return false;
  }
}

export const tradePosition = record<TradePosition>({
  ...{ ticket: n, time: n, time_msc: n, time_update: n, time_update_msc: n, type: n, magic: n, identifier: n },
  ...{ reason: n, volume: n, price_open: n, sl: n, tp: n, price_current: n, swap: n, profit: n, symbol: s },
  ...{ comment: s, external_id: s },
});

export const tradeOrder = record<TradeOrder>({
  ...{ ticket: n, time_setup: n, time_setup_msc: n, time_done: n, time_done_msc: n, time_expiration: n, type: n },
  ...{ type_time: n, type_filling: n, state: n, magic: n, position_id: n, position_by_id: n, reason: n },
  ...{ volume_initial: n, volume_current: n, price_open: n, sl: n, tp: n, price_current: n, price_stoplimit: n },
  ...{ symbol: s, comment: s, external_id: s },
});

export const tradeDeal = record<TradeDeal>({
  ...{ ticket: n, order: n, time: n, time_msc: n, type: n, entry: n, magic: n, position_id: n, reason: n, volume: n },
  ...{ price: n, commission: n, swap: n, profit: n, fee: n, symbol: s, comment: s, external_id: s },
});

export const orderCheckResult = record<OrderCheckResult>({
  ...{ retcode: n, balance: n, equity: n, profit: n, margin: n, margin_free: n, margin_level: n, comment: s },
});

export const orderSendResult = record<OrderSendResult>({
  ...{ retcode: n, deal: n, order: n, volume: n, price: n, bid: n, ask: n, comment: s, request_id: n },
  ...{ retcode_external: n },
});
