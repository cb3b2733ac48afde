import type { Portfolio } from '../portfolios/portfolio';
import type { StrategyState } from '../strategies/strategy-state';

/** The state of a portfolio: halted if the portfolio is halted, else the worst state of its children. */
export function portfolioState(portfolio: Portfolio): StrategyState {
  const { record, children, unreadable } = portfolio;
  if (unreadable !== null) return 'failed';
  if (record.halt !== null) return 'halted';
  if (children.length === 0) return 'failed';
  for (const state of ['failed', 'halted', 'starting', 'stopped'] as const) {
    if (children.some((child) => child.state === state)) return state;
  }
  return 'running';
}

/** The children's streams by alias; an alias that is ambiguous is prefixed with the child's own alias. */
export function streamBrokersOfAll({ children }: Portfolio): Record<string, string> {
  const all = children.flatMap(({ spec }) => {
    const child = spec.name.slice(spec.name.indexOf('/') + 1);
    return spec.streams.map(({ alias, broker }) => ({ alias, broker, child }));
  });
  const isShared = (alias: string): boolean =>
    new Set(all.filter((stream) => stream.alias === alias).map(({ broker }) => broker)).size > 1;
  return Object.fromEntries(
    all.map(({ alias, broker, child }) => [isShared(alias) ? `${child}/${alias}` : alias, broker]),
  );
}
