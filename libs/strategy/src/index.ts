export {
  defineStrategy,
  type Handlers,
  type Setup,
  type Strategy,
  type StrategyDefinition,
  type WarmupBars,
} from './define-strategy';
export type { Fill, OrderGone, Reject, TimerEvent } from './events';
export type { StateDefinition } from './kept-state';
export type { Bar, Quote, Stream, Tick } from './market';
export type { Account, Risk, SymbolSpec } from './symbol';
export type {
  EntryOptions,
  MarketEntry,
  OcoOrder,
  OrderChange,
  PendingEntry,
  PendingOrder,
  Position,
  Protection,
  Side,
  StackOptions,
  StopLimitEntry,
  StreamName,
  Trade,
  Trail,
  TrailingStop,
} from './trade';
