import type { StrategyMarket } from './strategy-market';

/** A strategy's part of the market, and the market's time. */
export class MarketClock {
  /**
   * @param market of the version that runs, or ran last
   * @param eventMs market time of the last event, in milliseconds since the epoch; 0 before there is one
   */
  constructor(
    public market: StrategyMarket,
    public eventMs = 0,
  ) {}

  /** Market time: of the last event, or of the newest quote of the streams; 0 before there is any. */
  get nowMs(): number {
    return Math.max(this.eventMs, ...Object.values(this.market.quotes).map(({ timeMs }) => timeMs));
  }
}
