/** The life of a deployed strategy. `halted` is a running one that may not enter. */
export const strategyStates = ['starting', 'running', 'halted', 'failed', 'stopped'] as const;
export type StrategyState = (typeof strategyStates)[number];
type Life = Exclude<StrategyState, 'halted'>;

/** Which state may follow which; anything else is a bug. */
const next: Readonly<Record<Life, readonly Life[]>> = {
  starting: ['running', 'failed', 'stopped'],
  running: ['failed', 'stopped'],
  failed: ['starting', 'stopped'],
  stopped: [],
};

/** The state of one strategy, and why it is in it. */
export class Lifecycle {
  state: Life = 'starting';
  /** The last problem; null if there was none. */
  problem: string | null = null;

  /** @throws Error for a transition that is not in the table */
  to(state: Life, problem: string | null = null): void {
    if (!next[this.state].includes(state)) throw new Error(`a ${this.state} strategy cannot become ${state}`);
    this.state = state;
    this.problem = problem;
  }
}
