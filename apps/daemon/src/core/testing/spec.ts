import type { StrategySpec } from '../strategy-spec';

/** A strategy without limits on one stream. In a file of its own: the tests of the core need no more of the daemon. */
export const spec: StrategySpec = {
  name: 'ema',
  module: '',
  magic: 7,
  streams: [{ alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }],
  capital: 10_000,
  params: {},
  risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
  onMismatch: 'halt',
  workerGroup: null,
  portfolio: null,
};
