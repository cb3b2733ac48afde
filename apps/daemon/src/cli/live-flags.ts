import { backtestFlags } from './backtest-arguments';
import { askingFlags } from './control-client';

/** The flags of the commands that examine a live strategy. */
export const liveFlags = { ...askingFlags, config: 'text', days: 'amount', from: 'text', to: 'text' } as const;

const { commission, slippage, spread, swap, symbols, latency } = backtestFlags;

/** The flags of `daemon compare NAME`. */
export const compareLiveFlags = {
  ...liveFlags,
  ...({ ticks: 'switch', 'limit-fill': 'text' } as const),
  commission,
  slippage,
  spread,
  swap,
  symbols,
  latency,
} as const;
