import { inStreamOrder } from '../core/bar-sequence';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import { bundleStrategy } from '../strategies/strategy-bundler';
import { StrategyRefusedError } from '../strategies/strategy-thread';
import { backtestBarWaitMs, backtestLimits } from './backtest.config';
import type { PortfolioResult } from './portfolio-result';
import type { ReceivedStream } from './received-bars';
import type { BacktestOptions } from './run-backtest';
import type { StrategyProblem } from './strategies-refused-error';
import { KeptThread } from './thread/kept-thread';
import type { PortfolioStart, ReplayedStrategy } from './thread/thread-messages';

export interface PortfolioOptions extends Omit<BacktestOptions, 'spec' | 'bundle'> {
  readonly portfolio: PortfolioSpec;
  /** Its children as the configuration has them; the broker of their streams is `backtest`. */
  readonly strategies: readonly StrategySpec[];
  /** What strategies received live, by their names, in place of the bars of the market; omitted: nothing. */
  readonly received?: ReadonlyMap<string, readonly ReceivedStream[]>;
}

/**
 * Runs the strategies of a portfolio over recorded prices, on one account, under the limits of the portfolio: as
 * `runBacktest`, with a context of its own for each strategy. The order of the strategies has no effect.
 * @param thread ends with the run
 * @throws StrategiesRefusedError, ThreadLostError, or an error naming what cannot be used
 */
export async function runPortfolio(options: PortfolioOptions, thread = new KeptThread()): Promise<PortfolioResult> {
  const { portfolio, files, fromMs, toMs, broker = {}, limits = backtestLimits({}) } = options;
  const { barWaitMs = backtestBarWaitMs({}), latencyMs = 0, acceptFaulty = false, onProgress = null } = options;
  const start = {
    portfolio,
    ...(await deployed(options)),
    files,
    fromMs,
    toMs,
    broker,
    limits,
    barWaitMs,
    latencyMs,
    acceptFaulty,
  };
  return thread.runPortfolio(start, onProgress).finally(() => thread.end());
}

async function deployed(options: PortfolioOptions): Promise<Pick<PortfolioStart, 'strategies' | 'problems'>> {
  const problems: StrategyProblem[] = [];
  const strategies: ReplayedStrategy[] = [];
  for (const listed of options.strategies) {
    const spec = { ...listed, streams: inStreamOrder(listed.streams) };
    const { name, params, streams, portfolio } = spec;
    // Intents of two strategies must differ, as in the daemon. A slash separates the layers of a stack.
    const idPrefix = `${portfolio === null ? name : name.slice(portfolio.length + 1)}-`;
    try {
      const bundle = await bundleStrategy(spec.module);
      const received = options.received?.get(name) ?? [];
      strategies.push({ spec, deployment: { name, ...bundle, params, streams, idPrefix, state: null }, received });
    } catch (error) {
      if (!(error instanceof StrategyRefusedError)) throw error;
      problems.push({ name, problem: error.message });
    }
  }
  return { strategies, problems };
}
