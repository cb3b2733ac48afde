import type { OperatorLimits } from '@libs/order-drafts';
import type { SettingsError } from '@libs/settings';
import type { StrategySpec } from '../../daemon-file/daemon-file';
import type { Deployment } from '../../strategies/worker/messages';
import type { PackedResult } from '../packed-result';
import type { Period } from '../period';

/** Start data of a thread that runs backtests. */
export interface ThreadStart {
  /** Most bytes outside of the heap that a strategy may allocate. */
  readonly maxExternalBytes: number;
  /** One Int32 that grows when the strategy begins to run and when it ends: odd means that it runs. */
  readonly pulse: SharedArrayBuffer;
}

/** One backtest, as it is posted to its thread. */
export interface RunStart extends Period {
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  readonly broker: Readonly<Record<string, string>>;
  readonly barWaitMs: number;
  readonly latencyMs: number;
  readonly acceptFaulty: boolean;
  readonly limits: OperatorLimits;
  readonly deployment: Deployment;
  /** The bundled entry of the strategy's context. */
  readonly contextCode: string;
}

/** Why a backtest ended without a result: a kind of error with words for the user; `bug` has the stack as its message. */
export type Failure =
  | {
      readonly kind: 'strategy refused' | 'strategy threw' | 'backtest refused' | 'setting' | 'bug';
      readonly message: string;
    }
  | { readonly kind: 'settings'; readonly problems: SettingsError['problems'] };

export type FromThread =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: PackedResult }
  | { readonly type: 'failed'; readonly failure: Failure };
