/**
 * The terminal's enumerations, with the numbers its own package ships (docs: MQL5 reference, "Trade constants").
 * Plain frozen objects, so that a value read from the wire needs no cast to be compared.
 */
export const OrderType = {
  BUY: 0,
  SELL: 1,
  BUY_LIMIT: 2,
  SELL_LIMIT: 3,
  BUY_STOP: 4,
  SELL_STOP: 5,
  BUY_STOP_LIMIT: 6,
  SELL_STOP_LIMIT: 7,
  CLOSE_BY: 8,
} as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];

export const TradeAction = { DEAL: 1, PENDING: 5, SLTP: 6, MODIFY: 7, REMOVE: 8, CLOSE_BY: 10 } as const;
export type TradeAction = (typeof TradeAction)[keyof typeof TradeAction];

/** An index, not a flag: never to be mixed up with {@link FillingFlag}. */
export const OrderFilling = { FOK: 0, IOC: 1, RETURN: 2, BOC: 3 } as const;
export type OrderFilling = (typeof OrderFilling)[keyof typeof OrderFilling];

export const OrderTime = { GTC: 0, DAY: 1, SPECIFIED: 2, SPECIFIED_DAY: 3 } as const;
export type OrderTime = (typeof OrderTime)[keyof typeof OrderTime];

export const OrderState = {
  STARTED: 0,
  PLACED: 1,
  CANCELED: 2,
  PARTIAL: 3,
  FILLED: 4,
  REJECTED: 5,
  EXPIRED: 6,
  REQUEST_ADD: 7,
  REQUEST_MODIFY: 8,
  REQUEST_CANCEL: 9,
} as const;
export type OrderState = (typeof OrderState)[keyof typeof OrderState];

export const PositionType = { BUY: 0, SELL: 1 } as const;
export type PositionType = (typeof PositionType)[keyof typeof PositionType];

export const DealType = {
  BUY: 0,
  SELL: 1,
  BALANCE: 2,
  CREDIT: 3,
  CHARGE: 4,
  CORRECTION: 5,
  BONUS: 6,
  COMMISSION: 7,
  COMMISSION_DAILY: 8,
  COMMISSION_MONTHLY: 9,
  COMMISSION_AGENT_DAILY: 10,
  COMMISSION_AGENT_MONTHLY: 11,
  INTEREST: 12,
  BUY_CANCELED: 13,
  SELL_CANCELED: 14,
  DIVIDEND: 15,
  DIVIDEND_FRANKED: 16,
  TAX: 17,
} as const;
export type DealType = (typeof DealType)[keyof typeof DealType];

export const DealEntry = { IN: 0, OUT: 1, INOUT: 2, OUT_BY: 3 } as const;
export type DealEntry = (typeof DealEntry)[keyof typeof DealEntry];

/** Why an order, a position or a deal came to be; positions use the first four only. */
export const TradeReason = {
  CLIENT: 0,
  MOBILE: 1,
  WEB: 2,
  EXPERT: 3,
  SL: 4,
  TP: 5,
  SO: 6,
  ROLLOVER: 7,
  VMARGIN: 8,
  SPLIT: 9,
  CORPORATE_ACTION: 10,
} as const;
export type TradeReason = (typeof TradeReason)[keyof typeof TradeReason];

export const AccountTradeMode = { DEMO: 0, CONTEST: 1, REAL: 2 } as const;
export type AccountTradeMode = (typeof AccountTradeMode)[keyof typeof AccountTradeMode];

export const AccountMarginMode = { RETAIL_NETTING: 0, EXCHANGE: 1, RETAIL_HEDGING: 2 } as const;
export type AccountMarginMode = (typeof AccountMarginMode)[keyof typeof AccountMarginMode];

export const StopoutMode = { PERCENT: 0, MONEY: 1 } as const;
export type StopoutMode = (typeof StopoutMode)[keyof typeof StopoutMode];

export const SymbolTradeMode = { DISABLED: 0, LONGONLY: 1, SHORTONLY: 2, CLOSEONLY: 3, FULL: 4 } as const;
export type SymbolTradeMode = (typeof SymbolTradeMode)[keyof typeof SymbolTradeMode];

export const SymbolExecution = { REQUEST: 0, INSTANT: 1, MARKET: 2, EXCHANGE: 3 } as const;
export type SymbolExecution = (typeof SymbolExecution)[keyof typeof SymbolExecution];

export const SymbolChartMode = { BID: 0, LAST: 1 } as const;
export type SymbolChartMode = (typeof SymbolChartMode)[keyof typeof SymbolChartMode];

export const SymbolCalcMode = {
  FOREX: 0,
  FUTURES: 1,
  CFD: 2,
  CFDINDEX: 3,
  CFDLEVERAGE: 4,
  FOREX_NO_LEVERAGE: 5,
  EXCH_STOCKS: 32,
  EXCH_FUTURES: 33,
  EXCH_OPTIONS: 34,
  EXCH_OPTIONS_MARGIN: 36,
  EXCH_BONDS: 37,
  EXCH_STOCKS_MOEX: 38,
  EXCH_BONDS_MOEX: 39,
  SERV_COLLATERAL: 64,
} as const;
export type SymbolCalcMode = (typeof SymbolCalcMode)[keyof typeof SymbolCalcMode];

export const SymbolSwapMode = {
  DISABLED: 0,
  POINTS: 1,
  CURRENCY_SYMBOL: 2,
  CURRENCY_MARGIN: 3,
  CURRENCY_DEPOSIT: 4,
  INTEREST_CURRENT: 5,
  INTEREST_OPEN: 6,
  REOPEN_CURRENT: 7,
  REOPEN_BID: 8,
} as const;
export type SymbolSwapMode = (typeof SymbolSwapMode)[keyof typeof SymbolSwapMode];

export const SymbolGtcMode = { GTC: 0, DAILY: 1, DAILY_EXCLUDING_STOPS: 2 } as const;
export type SymbolGtcMode = (typeof SymbolGtcMode)[keyof typeof SymbolGtcMode];

/** Bits of `symbol_info.filling_mode`: a flag word, where `type_filling` is an index. */
export const FillingFlag = { FOK: 1, IOC: 2, BOC: 4 } as const;

/** Bits of `symbol_info.expiration_mode`; bit n permits `type_time` n. */
export const ExpirationFlag = { GTC: 1, DAY: 2, SPECIFIED: 4, SPECIFIED_DAY: 8 } as const;

/** Bits of `symbol_info.order_mode`. */
export const OrderModeFlag = { MARKET: 1, LIMIT: 2, STOP: 4, STOP_LIMIT: 8, SL: 16, TP: 32, CLOSEBY: 64 } as const;

/** Types of the rows of a market depth. */
export const BookType = { SELL: 1, BUY: 2, SELL_MARKET: 3, BUY_MARKET: 4 } as const;

/** Bits of a tick's `flags`: what changed with it. */
export const TickFlag = { BID: 2, ASK: 4, LAST: 8, VOLUME: 16, BUY: 32, SELL: 64 } as const;

/** Which ticks `copyTicksRange` returns. */
export const CopyTicks = { ALL: -1, INFO: 1, TRADE: 2 } as const;

const orderTypeNames = Object.fromEntries(Object.entries(OrderType).map(([name, value]) => [value, name]));

/** The terminal's name of an order type, `UNKNOWN_<n>` for a number newer than this table. */
export function orderTypeName(type: number): string {
  return orderTypeNames[type] ?? `UNKNOWN_${type}`;
}

const buyOrders: readonly number[] = [OrderType.BUY, OrderType.BUY_LIMIT, OrderType.BUY_STOP, OrderType.BUY_STOP_LIMIT];

/** True for the types that open or enlarge a long position. */
export function isBuyOrder(type: number): boolean {
  return buyOrders.includes(type);
}
