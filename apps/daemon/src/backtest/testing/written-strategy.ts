import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrategySpec } from '../../core/strategy-spec';
import { spec } from '../../core/testing/spec';
import { runBacktest, type BacktestOptions, type BacktestResult } from '../run-backtest';
import type { KeptThread } from '../thread/kept-thread';

/** A backtest's streams as a test writes them: `main: EURUSD@M1`. */
export function streamsOf(symbols: Readonly<Record<string, string>>): StrategySpec['streams'] {
  return Object.entries(symbols).map(([alias, text]) => {
    const [symbol = '', timeframe = ''] = text.split('@');
    return { alias, broker: 'backtest', symbol, timeframe };
  });
}

/** Runs a strategy of these handlers, with a counter `n` of its own and `bars` to warm up with, or JSON of them `byStream`. */
export function runHandlers(
  handlers: string,
  options: Partial<BacktestOptions> & Pick<BacktestOptions, 'files'>,
  changes: Partial<StrategySpec>,
  kept?: KeptThread,
): Promise<BacktestResult> {
  const module = join(mkdtempSync(join(tmpdir(), 'written-strategy-')), 'strategy.ts');
  writeFileSync(
    module,
    `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class { bars = 0; byStream = ''; history = 0; }, warmupBars: ({ bars, byStream }) => byStream ? JSON.parse(byStream) : bars, historyBars: ({ history }) => history, create: () => {
  let n = 0;
  return { ${handlers} };
} });`,
  );
  return runBacktest({ fromMs: null, toMs: null, ...options, spec: { ...spec, module, ...changes } }, kept);
}

/** What the strategy logged, in its order. */
export function said({ logs }: BacktestResult): readonly string[] {
  return logs.map(({ message }) => message);
}
