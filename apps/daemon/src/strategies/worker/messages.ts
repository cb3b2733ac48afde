import type { Stream } from '@libs/strategy';
import type { Intent, StrategyEvent } from '../../core/strategy-event';
import type { StateText } from '../../core/records';
import type { View } from '../../live/view';
import type { BarsByStream } from './warmup';

export interface LogEntry {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** Result of handling one event. */
export interface Reaction {
  readonly intents: readonly Intent[];
  readonly logs: readonly LogEntry[];
  /** Stack trace of the error that a handler threw, with the lines of the strategy file; null if none was thrown. */
  readonly error: string | null;
  /** State after the handlers, which must be durable before the intents are sent; null if it is unchanged. */
  readonly state: StateText | null;
  /** Why the state after the handlers cannot be stored, so that the state before the event stays; null if it can. */
  readonly stateProblem: string | null;
}

/** The part of a strategy's deployment that its thread needs. */
export interface Deployment {
  readonly name: string;
  /** The bundled strategy file, with its source map inside. */
  readonly code: string;
  /** The path under which the bundle is loaded, beside the strategy file. */
  readonly file: string;
  /** The strategy file itself. */
  readonly source: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly streams: readonly Stream[];
  /** Starts the ids of its intents. */
  readonly idPrefix: string;
  /** State that an earlier start or version of it has stored; null if there is none. */
  readonly state: StateText | null;
}

export interface Loaded {
  readonly version: number;
  /** Its parameters, including defaults. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Past bars that its history has before the first live event, by stream. */
  readonly pastBars: BarsByStream;
  /** The newest of them, for which its handlers are called, by stream. */
  readonly warmupBars: BarsByStream;
  /** Whether it has a handler of ticks. Without one, it is sent none. */
  readonly wantsTicks: boolean;
  /** Whether a fill may matter to it: it has a handler of fills, or of time, which fires with any event. */
  readonly wantsFills: boolean;
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
