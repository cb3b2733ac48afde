/** One market a strategy is deployed on: the strategy's own name for it, and what the name stands for. */
export interface Stream {
  /** The name under `streams` in the configuration. */
  readonly alias: string;
  readonly symbol: string;
  /** The terminal's name of the bars' length, such as M1 or H4. */
  readonly timeframe: string;
  /** The gateway the stream trades through, by its name in the configuration. */
  readonly broker: string;
}

/** A closed bar of bid prices, as the broker made it. */
export interface Bar<Alias extends string = string> {
  /** Alias of the stream it belongs to. */
  readonly stream: Alias;
  readonly symbol: string;
  readonly timeframe: string;
  /** The bar's open, in milliseconds since the epoch; by the broker's own clock while its zone is not known. */
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
  /**
   * How long before this event the bar closed, in milliseconds of market time, where it is handed on late, as after an
   * outage of the gateway; 0 when it is on time, and always in a backtest. An entry decided on a bar that is older than one
   * bar of its timeframe is denied with the reason `stale_bar`.
   */
  readonly lateMs: number;
}

export interface Tick<Alias extends string = string> {
  readonly stream: Alias;
  readonly symbol: string;
  /** Milliseconds since the epoch; by the broker's own clock while its zone is not known. */
  readonly timeMs: number;
  readonly bid: number;
  readonly ask: number;
}

/** The last known prices of a stream. */
export interface Quote {
  readonly timeMs: number;
  readonly bid: number;
  readonly ask: number;
}
