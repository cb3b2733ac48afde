import { SystemClock } from '@libs/clock';
import type { StrategySpec } from '../core/strategy-spec';
import type { Bundle } from '../strategies/strategy-bundler';
import { StrategyRefusedError, StrategyThread } from '../strategies/strategy-thread';
import { workerThreads } from '../strategies/worker-threads';
import type { Loaded } from '../strategies/worker/messages';
import type { Axis } from './axis';
import { gridSize, setAt } from './parameter-sets';

/** The strategy of a parameter search. */
export type SearchedStrategy = Pick<Loaded, 'version' | 'params'>;

/** A set may be refused by the strategy's own rules; this many are tried before the search is. */
const mostTries = 25;
const limits = { watchdogMs: 30_000, maxHeapMb: 256 };

/**
 * Loads a strategy with sets of a grid, spread over it, until one is accepted.
 * @throws StrategyRefusedError when none is: with the problem of the first, such as an unknown parameter
 */
export async function loadSearched(
  spec: StrategySpec,
  bundle: Bundle,
  axes: readonly Axis[],
): Promise<SearchedStrategy> {
  const { name, params, streams } = spec;
  const thread = new StrategyThread(await workerThreads(), limits, new SystemClock());
  const tries = Math.min(mostTries, gridSize(axes));
  let refusal: StrategyRefusedError | null = null;
  try {
    for (let index = 0; index < tries; index++) {
      const set = setAt(axes, Math.floor((index / tries) * gridSize(axes)));
      try {
        return await thread.load({
          name,
          ...bundle,
          params: { ...params, ...set.params },
          streams,
          idPrefix: '',
          state: null,
        });
      } catch (error) {
        if (!(error instanceof StrategyRefusedError)) throw error;
        refusal ??= error;
      }
    }
  } finally {
    await thread.end();
  }
  throw refusal ?? new StrategyRefusedError('the grid has no sets');
}
