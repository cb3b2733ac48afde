/** A strategy of a portfolio that cannot be loaded. */
export interface StrategyProblem {
  /** `portfolio/alias`. */
  readonly name: string;
  /** What is wrong, with the place in the strategy's own file where that is known. */
  readonly problem: string;
}

/** Strategies of a portfolio cannot be loaded: all that are at fault. */
export class StrategiesRefusedError extends Error {
  constructor(readonly problems: readonly StrategyProblem[]) {
    super(problems.map(({ name, problem }) => `${name}: ${problem}`).join('\n'));
  }
}
