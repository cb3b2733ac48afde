import { money, resultClass } from './figures';
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

/** How a cell is marked: a halt, and what was gained or lost. */
export function strategyCellClass(reported: StrategyRow, heading: string | undefined): string {
  if (heading === 'State') return reported['halted'] === true ? 'loss' : '';
  if (heading !== 'Realized' && heading !== 'Unrealized') return '';
  return resultClass(believed(reported)[heading.toLowerCase()]);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'not known';
}

function moneyOf(value: unknown): string {
  return typeof value === 'number' ? money(value, undefined) : 'not known';
}
