import type { Fill, OrderGone, Reject, TimerEvent } from './events';
import { checkStateDefinition, type StateDefinition } from './kept-state';
import type { Bar, Stream, Tick } from './market';
import type { Trade } from './trade';

/** What happens to a strategy. One handler runs at a time, and none before the former's actions are answered. */
export interface Handlers<Alias extends string = string, State = unknown> {
  /**
   * A bar has closed. Every closed bar comes exactly once, in order; the forming one never. Bars that close at one instant
   * come by the longer timeframe first, then by symbol, then by alias.
   */
  onBar?(bar: Bar<Alias>, trade: Trade<Alias, State>): void;
  /** A new quote. Under load older ones are left out; they are counted. */
  onTick?(tick: Tick<Alias>, trade: Trade<Alias, State>): void;
  onFill?(fill: Fill<Alias>, trade: Trade<Alias, State>): void;
  onReject?(reject: Reject, trade: Trade<Alias, State>): void;
  /** A pending order, or what was left of it, was cancelled, rejected or has expired. */
  onOrderGone?(gone: OrderGone<Alias>, trade: Trade<Alias, State>): void;
  /** Once a `timerSeconds` of market time. */
  onTimer?(timer: TimerEvent, trade: Trade<Alias, State>): void;
}

export interface Setup<Params, Alias extends string> {
  readonly params: Params;
  readonly streams: Readonly<Record<Alias, Stream>>;
}

/** Past bars to play in: as many of every stream, or as many as each stream is named with and none of the others. */
export type WarmupBars<Alias extends string = string> = number | Readonly<Partial<Record<Alias, number>>>;

export interface StrategyDefinition<Params extends object, Alias extends string = string, State = undefined> {
  /** Of the strategy's logic, for its author: the status shows it. */
  readonly version: number;
  /** A class whose class-validator decorators check the configured parameters at load. */
  readonly params: new () => Params;
  /** Names the configuration has to give a stream for; any are allowed when omitted. */
  readonly streams?: readonly Alias[];
  /** Past bars to play in before the first live one, merged over all streams by time. */
  readonly warmupBars?: WarmupBars<NoInfer<Alias>> | ((params: Params) => WarmupBars<NoInfer<Alias>>);
  /**
   * Past bars that `trade.bars` has from the first live event on, including those of the warm-up. Handlers are not called for
   * those before the warm-up. A strategy does not start where a stream has fewer.
   */
  readonly historyBars?: WarmupBars<NoInfer<Alias>> | ((params: Params) => WarmupBars<NoInfer<Alias>>);
  /** Period of `onTimer`, in seconds of market time. */
  readonly timerSeconds?: number;
  /** The state under `trade.state`, which outlives restarts; without it there is none. */
  readonly state?: StateDefinition<State>;
  /** Makes one deployment's handlers. The variables of this closure begin anew with each start; `trade.state` does not. */
  create(setup: Setup<Params, Alias>): Handlers<NoInfer<Alias>, NoInfer<State>>;
}

/** A definition whose parameter type no longer matters: what a strategy file exports. */
export interface Strategy {
  readonly strategy: true;
  readonly version: number;
  readonly params: new () => object;
  readonly streams: readonly string[] | null;
  readonly timerSeconds: number | null;
  readonly state: StateDefinition<unknown> | null;
  warmupBars(params: object): WarmupBars;
  historyBars(params: object): WarmupBars;
  create(setup: { readonly params: object; readonly streams: Readonly<Record<string, Stream>> }): Handlers;
}

/**
 * Describes a strategy; the result is the default export of its file. The file gets no clock, no network and no key:
 * given the same events it does the same, live and in a backtest.
 * @throws Error when the definition lacks something, or when the parameters or streams it is later created with are not
 *   those it asked for
 */
export function defineStrategy<Params extends object, const Alias extends string = string, State = undefined>(
  definition: StrategyDefinition<Params, Alias, State>,
): Strategy {
  checkDefinition(definition);
  const paramsOf = (params: object): Params => {
    if (params instanceof definition.params) return params;
    throw new Error('the parameters are not an instance of the params class of the strategy');
  };
  return {
    strategy: true,
    version: definition.version,
    params: definition.params,
    streams: definition.streams ?? null,
    timerSeconds: definition.timerSeconds ?? null,
    state: definition.state ?? null,
    warmupBars: (params) => {
      const { warmupBars = 0 } = definition;
      return typeof warmupBars === 'function' ? warmupBars(paramsOf(params)) : warmupBars;
    },
    historyBars: (params) => {
      const { historyBars = 0 } = definition;
      return typeof historyBars === 'function' ? historyBars(paramsOf(params)) : historyBars;
    },
    create: ({ params, streams }) =>
      definition.create({ params: paramsOf(params), streams: streamsOf(streams, definition.streams) }),
  };
}

/** The compiler says so too, but a plain JavaScript file has none. */
function checkDefinition(
  definition: Readonly<Record<'version' | 'params' | 'create', unknown>> & { readonly state?: unknown },
): void {
  const { version, params, create, state } = definition;
  if (!Number.isInteger(version)) throw new Error(`defineStrategy: version must be an integer, not ${String(version)}`);
  if (typeof params !== 'function')
    throw new Error('defineStrategy: params must be a class, such as class { length = 20 }');
  if (typeof create !== 'function')
    throw new Error('defineStrategy: create must be a function that returns the handlers');
  if (state !== undefined) checkStateDefinition(state);
}

function streamsOf<Alias extends string>(
  streams: Readonly<Record<string, Stream>>,
  wanted: readonly Alias[] | undefined,
): Readonly<Record<Alias, Stream>> {
  const missing = wanted?.filter((alias) => !(alias in streams)) ?? [];
  if (missing.length > 0) throw new Error(`no stream is configured for ${missing.join(', ')}`);
  return streams;
}
