export { defineStrategy, type Handlers, type Setup, type Strategy, type StrategyDefinition } from './define-strategy';
export type { Fill, OrderGone, Reject, TimerEvent } from './events';
export type { Bar, Quote, Stream, Tick } from './market';
export type { EntryOptions, PendingOrder, Position, Protection, Side, StackOptions, Trade } from './trade';
