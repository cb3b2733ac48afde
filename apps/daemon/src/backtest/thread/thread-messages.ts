import type { MessagePort } from 'node:worker_threads';
import type { OperatorLimits } from '@libs/order-drafts';
import type { SettingsError } from '@libs/settings';
import type { PortfolioSpec, StrategySpec } from '../../core/strategy-spec';
import type { Deployment } from '../../strategies/worker/messages';
import type { PackedResult } from '../packed-result';
import type { Screening, Wanted } from '../kernel/screened';
import type { Period } from '../period';
import type { PackedPortfolioResult } from '../portfolio-result';
import type { ReceivedStream } from '../received-bars';
import type { StrategyProblem } from '../strategies-refused-error';
import type { EntryCode } from './entry-code';

/** Start data of a thread that runs backtests. */
export interface ThreadStart {
  /** Most bytes outside of the heap that a strategy may allocate. */
  readonly maxExternalBytes: number;
  /**
   * Two Int32: one grows when a strategy begins to run and when it ends, odd means that it runs; the other is the index of
   * the strategy that ran last.
   */
  readonly pulse: SharedArrayBuffer;
  /** The entry of the thread, and that of the contexts of its strategies. */
  readonly thread: EntryCode;
  readonly context: EntryCode;
  /** Answers a message with the functions of the thread that have been compiled by then; null to keep them. */
  readonly compiledPort: MessagePort | null;
}

/** What every backtest is posted to its thread with. */
interface CommonStart extends Period {
  readonly files: readonly string[];
  readonly broker: Readonly<Record<string, string>>;
  readonly barWaitMs: number;
  readonly latencyMs: number;
  readonly acceptFaulty: boolean;
  readonly limits: OperatorLimits;
  /** Whether the progress is posted: a message takes as long as some minutes of the market. */
  readonly showsProgress: boolean;
}

/** One strategy of a run. */
export interface DeployedStrategy {
  readonly spec: StrategySpec;
  readonly deployment: Deployment;
}

/** A strategy of a portfolio, and what it received live, to be replayed. */
export interface ReplayedStrategy extends DeployedStrategy {
  readonly received: readonly ReceivedStream[];
}

/** A backtest of one strategy. */
export interface RunStart extends CommonStart, DeployedStrategy {}

/** A backtest of a portfolio. */
export interface PortfolioStart extends CommonStart {
  readonly portfolio: PortfolioSpec;
  readonly strategies: readonly ReplayedStrategy[];
  /** Strategies that could not be bundled: the run is refused when the others have been loaded. */
  readonly problems: readonly StrategyProblem[];
}

/** A run in the kernel. */
export interface ScreenStart {
  readonly screen: RunStart;
  readonly wanted: Wanted;
}

/** Why a backtest ended without a result: a kind of error with words for the user; `bug` has the stack as its message. */
export type Failure =
  | {
      readonly kind: 'strategy refused' | 'strategy threw' | 'backtest refused' | 'setting' | 'bug';
      readonly message: string;
    }
  | { readonly kind: 'settings'; readonly problems: SettingsError['problems'] }
  | { readonly kind: 'strategies refused'; readonly problems: readonly StrategyProblem[] };

export type FromThread =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly result: PackedResult }
  | { readonly type: 'portfolio done'; readonly result: PackedPortfolioResult }
  | { readonly type: 'screened'; readonly screening: Screening }
  | { readonly type: 'failed'; readonly failure: Failure };
