import type { DealRecord } from '@libs/gateway-client';
import type { Quote } from '@libs/strategy';
import type { StrategySpec } from './strategy-spec';
import type { HaltRecord, IntentRecord, OwnedTicket, StateText } from './records';
import type { Intent } from './strategy-event';
import type { AccountRows } from './account-rows';
import type { ExternalPosition } from './external-positions';
import type { IntentEvent } from './intent-life';
import type { LostStops } from './lost-stops';
import type { OrderFacts } from './order-end';
import type { OrderIntent } from './plan';
import type { Circumstances } from './risk';
import type { StackEvent } from './stacks';
import type { StopTerms } from './trails';

/** The state of the daemon and of its gateways when an event is delivered. */
export interface CoreMoment {
  /** Milliseconds since the epoch; in a backtest, market time. */
  readonly nowMs: number;
  /** Monotonic time in milliseconds. */
  readonly monotonicMs: number;
  readonly isStopping: boolean;
  /** Id of the trade journal of each configured gateway, by its name; null while it is unknown. */
  readonly journals: Readonly<Record<string, string | null>>;
}

/** An event of the intents, requests and stacks of a strategy. */
export type OrderEvent =
  /**
   * An intent of the strategy, or of the daemon for it. `circumstances`: null for an exit, and for a stream that does not
   * exist. `key`: the idempotency key of the request, if it is sent.
   */
  | {
      readonly type: 'intent';
      readonly intent: OrderIntent;
      readonly circumstances: Circumstances | null;
      readonly key: string;
    }
  /** `key`: the idempotency key of the entry, if a layer is entered. */
  | { readonly type: 'layer'; readonly event: LayerEvent; readonly key: string }
  | { readonly type: 'stack'; readonly event: StackChange }
  /** The daemon started. `records`: requests that an earlier start left open. `superseded`: keys of those that newer ones replaced. */
  | { readonly type: 'taken up'; readonly records: readonly IntentRecord[]; readonly superseded?: readonly string[] }
  /** What was asked for a request has ended. */
  | { readonly type: 'request'; readonly key: string; readonly event: AskedEvent }
  /**
   * What is known about the order of an executed request. `order`: null if its ticket is unknown. `remembered`: the ticket
   * that the state has under its number. `isRead`: false if the account may not have been read since; absent where it always is.
   */
  | {
      readonly type: 'order found';
      readonly key: string;
      readonly order: number | null;
      readonly remembered: OwnedTicket | null;
      readonly isRead?: false;
    }
  /** The persist with this number ended. */
  | { readonly type: 'persisted'; readonly n: number; readonly isDurable: boolean };

export type TrailIntent = Extract<Intent, { action: 'trail' }>;

/** An event of the trailing stops of a strategy. */
export type TrailEvent =
  /** The strategy sets or ends a trailing stop. */
  | { readonly type: 'trail'; readonly intent: TrailIntent }
  /** A quote of a stream, and what the stop-losses of its symbol have to observe. */
  | { readonly type: 'price'; readonly stream: string; readonly quote: Quote; readonly terms: StopTerms }
  /**
   * The stop-loss of a position may be moved now. `key`: the idempotency key of the request, if it is sent. `isCurrent`: whether
   * the account was read after the turn was asked for. `isNetting`: whether each entry of the symbol changes the position; absent
   * where it does not.
   */
  | {
      readonly type: 'trail turn';
      readonly broker: string;
      readonly ticket: number;
      readonly key: string;
      readonly isCurrent: boolean;
      readonly isNetting?: boolean;
    };

/** Events that may enter a layer of a stack. */
export type LayerEvent = Extract<StackEvent, { type: 'wanted' | 'turn' }>;

/** Other events of stacks that come from outside of the core: it derives the rest. */
export type StackChange = Extract<
  StackEvent,
  { type: 'quote' | 'turns dropped' | 'entered' | 'account seen' | 'restarted' }
>;

/** Writes end with `persisted` instead. */
export type AskedEvent = Exclude<IntentEvent, { type: 'written' }>;

/** An order that fills into a position, of whichever intent. */
export interface FollowedOrder {
  readonly ticket: number;
  readonly intentId: string | null;
}

/** A read of the settlement ended. */
export type SettlementEvent =
  /** The deals of a position. `follows`: an order that filled into it and is no longer in the books. */
  | {
      readonly type: 'deals';
      readonly broker: string;
      readonly ticket: number;
      readonly deals: readonly DealRecord[];
      readonly follows: FollowedOrder | null;
      /** Deals may show what they cost later than themselves; absent where they never do, as in a backtest. */
      readonly mayCostMore?: true;
    }
  /**
   * The order of a ticket; null if the broker has none (yet). `owner`: the strategy that owns or owned the position that
   * it filled into; null for an external one.
   */
  | {
      readonly type: 'order';
      readonly broker: string;
      readonly ticket: number;
      readonly order: OrderFacts | null;
      readonly owner: string | null;
      readonly isHedging: boolean;
    }
  /** The deals of an external position that the order of a ticket filled into. */
  | {
      readonly type: 'external deals';
      readonly broker: string;
      readonly ticket: number;
      readonly order: OrderFacts;
      readonly position: number;
      readonly deals: readonly DealRecord[];
    };

/** What an event about the account says of its money. */
interface Moneyed {
  /** Decimals of the account's currency, for the texts about it; absent while they are not known. */
  readonly moneyDigits?: number | undefined;
}

/** An event of the account, of the configuration, or of the operator. */
export type AccountEvent =
  /** An account snapshot of a gateway. */
  | ({ readonly type: 'rows'; readonly broker: string; readonly rows: AccountRows } & Moneyed)
  /** External positions under the strategy's magic. */
  | { readonly type: 'external'; readonly broker: string; readonly positions: readonly ExternalPosition[] }
  /** The account was read, and the books agree with it. `quotes`: the last one of each stream, by alias. */
  | ({
      readonly type: 'account seen';
      readonly marketMs: number;
      readonly quotes: Readonly<Record<string, Quote>>;
    } & Moneyed)
  /** The gateway refused its account: the books stay as they are. */
  | {
      readonly type: 'account unread';
      readonly broker: string;
      readonly marketMs: number;
      readonly quotes: Readonly<Record<string, Quote>>;
    }
  /** The account is explained, and these stop-losses are not those that were set: all that the gateway reports. */
  | ({ readonly type: 'lost stops' } & LostStops)
  /** The equity at the prices of the moment, in the account's currency. */
  | ({ readonly type: 'equity'; readonly equity: number; readonly marketMs: number } & Moneyed)
  /** The time has come to check which pending orders have to be cancelled. */
  | { readonly type: 'sweep'; readonly marketMs: number; readonly quotes: Readonly<Record<string, Quote>> }
  /** `flattens`: the positions are to be closed as well. */
  | {
      readonly type: 'halt';
      readonly kind: HaltRecord['kind'];
      readonly reason: string;
      readonly flattens?: boolean;
      readonly byOperator?: true;
    }
  /** The operator ended the halt. */
  | { readonly type: 'resume' }
  /** The configuration of the strategy changed. */
  | { readonly type: 'respec'; readonly spec: StrategySpec }
  /** A gateway is no longer configured. */
  | { readonly type: 'forgo'; readonly broker: string };

/** The strategy changed what it keeps under `trade.state`. */
export interface StateEvent {
  readonly type: 'state';
  readonly state: StateText;
}

/** Everything that the core reacts to. */
export type CoreEventBody = OrderEvent | TrailEvent | SettlementEvent | AccountEvent | StateEvent;

export type CoreEvent = CoreEventBody & { readonly at: CoreMoment };
