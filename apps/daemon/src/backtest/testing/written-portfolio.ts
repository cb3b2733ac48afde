import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrategySpec } from '../../core/strategy-spec';
import { spec } from '../../core/testing/spec';
import type { PortfolioResult, StrategyRun } from '../portfolio-result';
import { runPortfolio, type PortfolioOptions } from '../run-portfolio';
import type { KeptThread } from '../thread/kept-thread';
import { streamsOf } from './written-strategy';

/** A strategy of a portfolio as a test writes it: its handlers, with a counter `n` of its own, and its streams. */
export interface WrittenStrategy {
  readonly handlers: string;
  readonly streams: Readonly<Record<string, string>>;
  /** Bars to warm up with; none when omitted. */
  readonly warmupBars?: number;
  readonly changes?: Partial<StrategySpec>;
}

/** The strategies of a portfolio, by their aliases, with a file each. The capital is shared equally. */
export function writtenStrategies(
  capital: number,
  written: Readonly<Record<string, WrittenStrategy>>,
): readonly StrategySpec[] {
  const folder = mkdtempSync(join(tmpdir(), 'written-portfolio-'));
  const all = Object.entries(written);
  return all.map(([alias, { handlers, streams, warmupBars = 0, changes = {} }], index) => {
    const module = join(folder, `${alias}.ts`);
    writeFileSync(
      module,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class { step = 1; }, warmupBars: ${warmupBars}, create: () => {
  let n = 0;
  return { ${handlers} };
} });`,
    );
    return {
      ...{ ...spec, name: `book/${alias}`, portfolio: 'book', module, params: {}, magic: index + 1 },
      ...{ capital: capital / all.length, streams: streamsOf(streams), ...changes },
    };
  });
}

/** Runs strategies as the portfolio `book`. */
export function runWritten(
  strategies: readonly StrategySpec[],
  options: Pick<PortfolioOptions, 'files'> & Partial<PortfolioOptions>,
  risk: Partial<PortfolioOptions['portfolio']['risk']> = {},
  thread?: KeptThread,
): Promise<PortfolioResult> {
  const capital = strategies.reduce((sum, one) => sum + one.capital, 0);
  const portfolio = {
    ...{ name: 'book', capital, risk: { maxDailyLoss: null, maxDrawdownPct: null, ...risk } },
    children: strategies.map(({ name }) => name),
  };
  return runPortfolio({ fromMs: null, toMs: null, portfolio, strategies, ...options }, thread);
}

/** A strategy's run by its alias. */
export function runOf({ strategies }: PortfolioResult, alias: string): StrategyRun {
  const found = strategies.find(({ name }) => name === `book/${alias}`);
  if (!found) throw new Error(`there is no strategy ${alias}`);
  return found;
}
