import type { Stream } from '@libs/strategy';

/** What the operator configured for one strategy. */
export interface StrategySpec {
  /** Unique; a portfolio's child is `portfolio/alias`. */
  readonly name: string;
  /** Absolute path of the strategy file. */
  readonly module: string;
  /** Marks its orders at the broker; unique within a gateway. */
  readonly magic: number;
  /** In the order in which their bars of one instant are delivered. */
  readonly streams: readonly Stream[];
  /** Allotted money, in the account's currency. */
  readonly capital: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly risk: RiskSpec;
  /** Reaction to a position under its magic that it did not open. */
  readonly onMismatch: 'adopt' | 'halt';
  /**
   * What follows when the stop-loss of its position is lost or changed without a request; absent: it is only reported.
   * `restore`: set it again, once for each loss; `close`: close the position.
   */
  readonly onLostStop?: 'restore' | 'close';
  /** Strategies that name the same group share a worker thread; null for a thread of its own. */
  readonly workerGroup: string | null;
  /** Name of the portfolio it is a child of; null for a standalone strategy. */
  readonly portfolio: string | null;
  /** Labels that a host of a fleet must have to run it, those of its portfolio for a child; absent: any host may. */
  readonly runsOn?: readonly string[];
  /** Absolute path of the report that `daemon backtest --out` writes of it; absent: none is shown. */
  readonly backtest?: string;
}

/** Limits; null: no limit. */
export interface RiskSpec {
  /** Lots of one entry. */
  readonly maxVolume: number | null;
  readonly maxOpenPositions: number | null;
  /** Money lost since the day began, floating results included, at which entries stop until the next day. */
  readonly maxDailyLoss: number | null;
  /** Percent below the highest equity at which entries stop until the operator resumes the strategy. */
  readonly maxDrawdownPct: number | null;
}

export interface PortfolioSpec {
  readonly name: string;
  readonly capital: number;
  readonly risk: { readonly maxDailyLoss: number | null; readonly maxDrawdownPct: number | null };
  /** {@link StrategySpec.name} of each child. */
  readonly children: readonly string[];
  /** As {@link StrategySpec.backtest}, of `daemon backtest --portfolio`. */
  readonly backtest?: string;
}
