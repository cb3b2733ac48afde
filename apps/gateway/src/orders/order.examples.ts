/** Example bodies of POST /order for the OpenAPI document. */
export const orderExamples = {
  market: {
    summary: 'Buy at market',
    value: { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7001, comment: 'first order' },
  },
  protected: {
    summary: 'Sell at market with levels',
    value: { symbol: 'EURUSD', volume: 0.1, type: 'SELL', sl: 1.2, tp: 1.05, deviation: 10 },
  },
  limit: {
    summary: 'Buy limit until a date',
    value: { symbol: 'EURUSD', volume: 0.1, type: 'BUY_LIMIT', price: 1.05, expiration: '2026-12-31T21:00:00Z' },
  },
  stop_limit: {
    summary: 'Buy stop-limit',
    value: { symbol: 'EURUSD', volume: 0.1, type: 'BUY_STOP_LIMIT', price: 1.2, stoplimit: 1.199 },
  },
};
