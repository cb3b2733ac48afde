import { money } from './figures';
import { believed, type StrategyRow } from './strategy-view';

/** The cells of a strategy or a portfolio of the daemon. A figure that it does not know is null there, and not a zero here. */
export function strategyCells(reported: StrategyRow): string[] {
  const row = believed(reported);
  const { name, kind, state, halted, haltReason, problem, positions, trades } = row;
  return [
    ...[textOf(name), textOf(kind), halted === true ? `halted: ${textOf(haltReason)}` : textOf(state)],
    ...[row['balance'], row['equity'], row['realized'], row['unrealized']].map(moneyOf),
    ...[Array.isArray(positions) ? String(positions.length) : 'not known', textOf(trades)],
    problem === null || problem === undefined ? '' : textOf(problem),
  ];
}

export const strategyHeadings = [
  ...['Name', 'Kind', 'State', 'Balance', 'Equity', 'Realized', 'Unrealized', 'Positions', 'Deals', 'Problem'],
];

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'not known';
}

function moneyOf(value: unknown): string {
  return typeof value === 'number' ? money(value, undefined) : 'not known';
}
