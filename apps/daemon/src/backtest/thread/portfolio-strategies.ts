import type { Stream } from '@libs/strategy';
import type { StrategySpec } from '../../core/strategy-spec';
import type { Deployment } from '../../strategies/worker/messages';
import type { BarsByStream } from '../../strategies/worker/warmup';
import { StrategiesRefusedError, type StrategyProblem } from '../strategies-refused-error';
import { StrategyNotLoadedError, type StrategyContext } from './strategy-context';
import type { DeployedStrategy } from './thread-messages';

/** A strategy of a portfolio in its own context. */
export interface ContextStrategy {
  readonly spec: StrategySpec;
  readonly context: StrategyContext;
}

/**
 * Loads the strategies of a portfolio.
 * @param known problems of strategies that could not be bundled
 * @throws StrategiesRefusedError naming all that cannot be loaded
 */
export function loadedPortfolio(
  strategies: readonly DeployedStrategy[],
  known: readonly StrategyProblem[],
  load: (deployment: Deployment, index: number) => StrategyContext,
): readonly ContextStrategy[] {
  const problems = [...known];
  const loaded = strategies.flatMap(({ spec, deployment }, index): ContextStrategy[] => {
    try {
      return [{ spec, context: load(deployment, index) }];
    } catch (error) {
      if (!(error instanceof StrategyNotLoadedError)) throw error;
      problems.push({ name: spec.name, problem: error.message });
      return [];
    }
  });
  if (problems.length > 0) throw new StrategiesRefusedError(problems);
  return loaded;
}

/** The streams of all strategies, each under an alias with the name of its strategy, and the past bars that each needs. */
export function warmedUp(strategies: readonly ContextStrategy[]): {
  readonly streams: readonly Stream[];
  readonly pastBars: BarsByStream;
} {
  const all = strategies.flatMap(({ spec, context }) =>
    spec.streams.map((stream) => {
      const alias = `${spec.name} ${stream.alias}`;
      return { stream: { ...stream, alias }, bars: context.loaded.pastBars[stream.alias] ?? 0 };
    }),
  );
  return {
    streams: all.map(({ stream }) => stream),
    pastBars: Object.fromEntries(all.map(({ stream, bars }) => [stream.alias, bars])),
  };
}
