/** What a test of a strategy imports, as `@libs/strategy/testing`. */
export { backtest } from './backtest';
export type { LogLine, RoundTrip, TestBar, TestOptions, TestRun } from './options';
