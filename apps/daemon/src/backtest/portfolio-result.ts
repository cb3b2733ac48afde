import type { HaltRecord } from '../core/records';
import type { BacktestResult, ThrownError } from './backtest-result';
import { equityPoints, type EquityPoint } from './equity-curve';
import { buffersOf, unpackedResult, type PackedResult } from './packed-result';

/** The state and the failures of a strategy of a portfolio, in addition to its trades. */
export interface StrategyFate {
  /** `portfolio/alias`. */
  readonly name: string;
  /** In the order of time; times are the market's. */
  readonly halts: readonly HaltRecord[];
  /** How often a handler threw. */
  readonly errors: number;
  readonly firstError: ThrownError | null;
  /** Why it never traded: what its handler threw while it warmed up. Null if it traded. */
  readonly failure: string | null;
}

/** One strategy of a portfolio. Fills, costs and balance of its result are its own; the balance is without the others' results. */
export interface StrategyRun extends StrategyFate {
  readonly result: BacktestResult;
}

/** A portfolio over a market: the account as a whole, and each strategy. Money is in the account's currency. */
export interface PortfolioResult {
  /** In the order of their names. */
  readonly strategies: readonly StrategyRun[];
  /** Equity of the account. */
  readonly equity: readonly EquityPoint[];
  /** Balance of the account at the end, as the broker has it. */
  readonly balance: number;
  /** Halts of the portfolio, which halt every strategy. */
  readonly halts: readonly HaltRecord[];
  /** Why the portfolio was halted at the end; null when it was not. */
  readonly haltReason: string | null;
}

/** A {@link PortfolioResult} with its long columns in typed arrays, as a thread hands it over. */
export interface PackedPortfolioResult extends Omit<PortfolioResult, 'strategies' | 'equity'> {
  readonly strategies: readonly (StrategyFate & { readonly result: PackedResult })[];
  readonly equity: Float64Array<ArrayBuffer>;
}

/** What need not be copied from one thread to another. */
export function portfolioBuffers({ strategies, equity }: PackedPortfolioResult): readonly ArrayBuffer[] {
  return [equity.buffer, ...strategies.flatMap(({ result }) => buffersOf(result))];
}

export function unpackedPortfolio(packed: PackedPortfolioResult): PortfolioResult {
  const strategies = packed.strategies.map((run) => ({ ...run, result: unpackedResult(run.result) }));
  return { ...packed, strategies, equity: equityPoints(packed.equity) };
}
