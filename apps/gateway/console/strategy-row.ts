import { money, moneyOfAny, resultClass } from './figures';
import { believed, type StrategyRow } from './strategy-view';

/**
 * The cells of a strategy or a portfolio of the daemon. A figure that it does not know is null there, and not a zero here.
 * @param digits of the currency of the page's account
 */
export function strategyCells(reported: StrategyRow, headings: readonly string[], digits?: number): string[] {
  const moneyOf = (value: unknown): string => (typeof value === 'number' ? moneyOfAny(value, digits) : 'not known');
  const row = believed(reported);
  const { name, kind, state, halted, haltReason, problem, positions, trades } = row;
  const cells: Readonly<Record<string, string>> = {
    Name: textOf(name),
    Kind: textOf(kind),
    State: halted === true ? `halted: ${textOf(haltReason)}` : textOf(state),
    Balance: moneyOf(row['balance']),
    Equity: moneyOf(row['equity']),
    Realized: moneyOf(row['realized']),
    Unrealized: moneyOf(row['unrealized']),
    'Return %': shareOf(row['equity'], row['capital']),
    Positions: Array.isArray(positions) ? String(positions.length) : 'not known',
    Deals: textOf(trades),
    Problem: problem === null || problem === undefined ? '' : textOf(problem),
  };
  return headings.map((heading) => cells[heading] ?? '');
}

/** The columns of a list of strategies: one for problems only if there is one. */
export function headingsOf(rows: readonly StrategyRow[]): readonly string[] {
  const hasProblem = rows.some(({ problem }) => problem !== null && problem !== undefined && problem !== '');
  return [
    ...['Name', 'Kind', 'State', 'Balance', 'Equity', 'Realized', 'Unrealized', 'Return %', 'Positions', 'Deals'],
    ...(hasProblem ? ['Problem'] : []),
  ];
}

/** What the equity is above or below the capital, in percent of it. */
function shareOf(equity: unknown, capital: unknown): string {
  if (typeof equity !== 'number' || typeof capital !== 'number' || capital <= 0) return 'not known';
  return money((equity / capital - 1) * 100, 2);
}

/** How a cell is marked: a halt, and what was gained or lost. */
export function strategyCellClass(reported: StrategyRow, heading: string | undefined): string {
  if (heading === 'State') return reported['halted'] === true ? 'loss' : '';
  const { realized, unrealized, equity, capital } = believed(reported);
  if (heading === 'Realized') return resultClass(realized);
  if (heading === 'Unrealized') return resultClass(unrealized);
  return heading === 'Return %' ? resultClass(Number(shareOf(equity, capital).replaceAll(',', ''))) : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'not known';
}
