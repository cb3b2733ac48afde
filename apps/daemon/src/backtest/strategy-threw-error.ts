/** A handler of the strategy threw; its message is the stack in the strategy's own lines. */
export class StrategyThrewError extends Error {}
