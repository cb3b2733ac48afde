/** What the page carries for its charts. Times are seconds since `startMs`, which keeps the page small. */
export interface PageData {
  readonly startMs: number;
  readonly digits: number;
  /** time, open, high, low, close */
  readonly bars: readonly (readonly [number, number, number, number, number])[];
  /** time, equity */
  readonly equity: readonly (readonly [number, number])[];
  readonly trades: readonly PageTrade[];
}

export interface PageTrade {
  readonly side: 'buy' | 'sell';
  readonly opened: number;
  readonly closed: number;
  readonly entry: number;
  readonly exit: number;
  readonly realized: number;
}
