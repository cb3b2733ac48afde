import type {
  Bar,
  EntryOptions,
  Fill,
  OrderChange,
  OrderGone,
  PendingOrder,
  Position,
  Quote,
  Reject,
  Side,
  StackOptions,
  Stream,
  SymbolSpec,
  Tick,
} from '@libs/strategy';
import type { Age } from '../../market-data/market-time';
import type { WarmupByStream } from './warmup';

/** An intent of a strategy. Its id is unique within one start of the daemon. */
export type Intent = { readonly id: string } & IntentAction;
export type IntentAction =
  | {
      readonly action: 'enter';
      readonly side: Side;
      readonly stream: string;
      readonly options: EntryOptions;
      /** The group of orders that it is in: the fill of one cancels the others. */
      readonly oco?: string;
    }
  | ({ readonly action: 'close'; readonly volume: number | null } & PositionRef)
  | ({ readonly action: 'protect'; readonly sl?: number | null; readonly tp?: number | null } & PositionRef)
  | ({ readonly action: 'modify'; readonly change: OrderChange } & OrderRef)
  | ({ readonly action: 'cancel' } & OrderRef)
  | { readonly action: 'stack'; readonly stream: string; readonly options: Omit<StackOptions, 'stream'> };

interface OrderRef {
  readonly order: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}

interface PositionRef {
  readonly position: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}

/** A bar of one of a strategy's streams has closed. */
export interface BarEvent {
  readonly type: 'bar';
  readonly bar: Bar;
  readonly warmingUp: boolean;
  /** The bar's open on the broker's clock: identifies the handled bars of its series. */
  readonly serverMs: number;
  /** The next bar's open on the broker's clock: from then on the bar could be handed on. */
  readonly closedMs: number;
  /** How long ago it had closed when the gateway gave it; null where that does not matter, as in a backtest. */
  readonly onArrival: Age | null;
}

/** What happens to a strategy. */
export type StrategyEvent =
  | BarEvent
  | { readonly type: 'tick'; readonly tick: Tick }
  | { readonly type: 'fill'; readonly fill: Fill }
  | { readonly type: 'reject'; readonly reject: Reject }
  | { readonly type: 'gone'; readonly gone: OrderGone };

/** View of a strategy while it handles an event: a copy that does not change. */
export interface View {
  readonly positions: readonly Position[];
  readonly orders: readonly PendingOrder[];
  readonly equity: number;
  readonly inFlight: number;
  readonly quotes: Readonly<Record<string, Quote>>;
  /** The broker's specification of each stream's symbol, by alias. */
  readonly symbols: Readonly<Record<string, SymbolSpec>>;
}

export interface LogEntry {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** What a strategy keeps under `trade.state`. */
export interface StateText {
  /** Version of the declaration that it fits. */
  readonly version: number;
  readonly json: string;
}

/** What came of handling one event. */
export interface Reaction {
  readonly intents: readonly Intent[];
  readonly logs: readonly LogEntry[];
  /** Stack trace of what a handler threw, with the strategy file's own lines; null when it ended well. */
  readonly error: string | null;
  /** The state that the handlers left, to be durable before the intents are sent; null if it is as before. */
  readonly state: StateText | null;
  /** Why the state that the handlers left cannot be kept: it is as before the event; null if it can. */
  readonly stateProblem: string | null;
}

/** What the thread needs of a strategy's deployment. */
export interface Deployment {
  readonly name: string;
  /** The bundled strategy file, with its source map inside. */
  readonly code: string;
  /** Where the bundle pretends to be, beside the strategy file. */
  readonly file: string;
  /** The strategy file itself. */
  readonly source: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly streams: readonly Stream[];
  /** Starts the ids of its intents. */
  readonly idPrefix: string;
  /** What an earlier start or version of it keeps; null if there is nothing. */
  readonly state: StateText | null;
}

export interface Loaded {
  readonly version: number;
  /** Its parameters as it sees them, defaults included. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly warmupBars: WarmupByStream;
  /** Whether it has a handler of ticks; others are not sent any. */
  readonly wantsTicks: boolean;
  /** The state that it starts with, in its version; null if it declares none. */
  readonly state: StateText | null;
}

export type ToWorker =
  | { readonly type: 'load'; readonly call: number; readonly deployment: Deployment }
  | {
      readonly type: 'handle';
      readonly call: number;
      readonly name: string;
      readonly event: StrategyEvent;
      readonly view: View;
    }
  /** The strategy continues with the state of the version before it. */
  | { readonly type: 'adopt'; readonly call: number; readonly name: string; readonly state: StateText }
  | { readonly type: 'unload'; readonly call: number; readonly name: string };

export type FromWorker =
  | { readonly type: 'loaded'; readonly call: number; readonly loaded: Loaded }
  | { readonly type: 'unloaded'; readonly call: number }
  /** `state`: what it has adopted, in its version; null if it declares none. */
  | { readonly type: 'adopted'; readonly call: number; readonly state: StateText | null }
  | { readonly type: 'refused'; readonly call: number; readonly error: string }
  | {
      readonly type: 'handled';
      readonly call: number;
      readonly reaction: Reaction;
      /** On the machine's monotonic clock, in nanoseconds. */
      readonly startedNanos: number;
      readonly endedNanos: number;
    };
