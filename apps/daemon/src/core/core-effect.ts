import type { Fill, OrderGone, Reject } from '@libs/strategy';
import type { Change, HaltRecord, IntentRecord, OwnedTicket } from './records';
import type { FollowedOrder } from './core-event';
import type { ForcedExit } from './halt-rules';
import type { IntentEffect, IntentLife, Notice } from './intent-life';
import type { StopAction } from './lost-stops';
import type { OrderFacts } from './order-end';
import type { Sweep } from './pending-sweep';
import type { Layer, StackEffect } from './stacks';

/** Make a change durable, as a whole or not at all. It ends with the event `persisted` of the same number. */
export interface PersistEffect {
  readonly type: 'persist';
  /** Persists and submits are numbered from 1 in the order in which they are decided. */
  readonly n: number;
  readonly atMs: number;
  readonly change: Change;
  /** Key of the request that waits for it; null if none does. */
  readonly key: string | null;
}

/** Send a request for the first time. */
export interface SubmitEffect {
  readonly type: 'submit';
  readonly n: number;
  readonly atMs: number;
  /** Number of the persist that released it. */
  readonly persist: number;
  readonly key: string;
  readonly record: IntentRecord;
}

/** Read the state of a request, or wait. It ends with the event `request`. */
export interface AskEffect {
  readonly type: 'ask';
  readonly key: string;
  readonly effect: Exclude<IntentEffect, { type: `write ${string}` }>;
  readonly life: IntentLife;
}

/** Read the ticket that the state has under the order of an executed request. It ends with the event `order found`. */
export interface FindOrderEffect {
  readonly type: 'find order';
  readonly key: string;
  readonly record: IntentRecord;
  /** The order according to the answer; null if the answer lacks it. */
  readonly order: number | null;
}

/** An effect that a request waits for. */
export type RequestedEffect = (PersistEffect & { readonly key: string }) | SubmitEffect | AskEffect | FindOrderEffect;

/** A read that the settlement needs. */
export type ReadEffect =
  /** Read the order of a ticket: it is no longer in the list of pending orders. */
  | { readonly type: 'read order'; readonly broker: string; readonly ticket: number }
  /** Read the deals of the external position that the order of a ticket filled into. */
  | {
      readonly type: 'read external deals';
      readonly broker: string;
      readonly ticket: number;
      readonly order: OrderFacts;
      readonly position: number;
    }
  /** Read the deals of a position that an order filled into. */
  | { readonly type: 'read deals'; readonly broker: string; readonly ticket: number; readonly follows: FollowedOrder };

/** What the strategy, the operator or the log receives. */
export type TellEffect =
  | { readonly type: 'notice'; readonly record: IntentRecord; readonly notice: Exclude<Notice, { type: 'denied' }> }
  /** An intent was denied before anything was sent. `staleBarMs`: how late its bar was; null if it was in time. */
  | { readonly type: 'denied'; readonly reject: Reject; readonly staleBarMs: number | null }
  | { readonly type: 'filled'; readonly fills: readonly Fill[] }
  /** A pending order ended. */
  | { readonly type: 'gone'; readonly gone: OrderGone }
  /** `byOperator`: not because of a limit or an error. */
  | { readonly type: 'halted'; readonly halt: HaltRecord; readonly byOperator?: true }
  | { readonly type: 'resumed' }
  | { readonly type: 'adopted'; readonly tickets: readonly OwnedTicket[] }
  | { readonly type: 'warn'; readonly reason: string }
  | { readonly type: 'stack ended'; readonly ended: Omit<Extract<StackEffect, { type: 'end' }>, 'type'> };

/** Everything that the core requires. */
export type CoreEffect =
  | PersistEffect
  | RequestedEffect
  | ReadEffect
  | TellEffect
  /** Deliver the turn of the layer after the strategy's earlier events. */
  | { readonly type: 'queue'; readonly layer: Layer }
  /** Read the account, and deliver the turn of the trailing stop of this position. */
  | { readonly type: 'trail'; readonly broker: string; readonly ticket: number }
  /** Deliver the intent to cancel a pending order. */
  | { readonly type: 'cancel'; readonly sweep: Sweep }
  /** Deliver the intent that follows from a lost stop-loss. */
  | { readonly type: 'lost stop'; readonly action: Omit<StopAction, 'noted'> }
  /** Deliver the intent to close a position of a strategy that is to be flat. */
  | { readonly type: 'close'; readonly exit: ForcedExit };
