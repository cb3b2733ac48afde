import type { Figures } from '../backtest/figures';
import type { OptimizeReport } from './optimize-report';

/** The sets of a search as CSV (RFC 4180): parameters, metric, period, all figures and the error, the best first. */
export function optimizeCsv({ search, rows }: OptimizeReport): string {
  const names = search.axes.map(({ name }) => name);
  const figureNames = figureNamesOf(rows.flatMap(({ run }) => run?.figures ?? []));
  const head = [
    'set',
    'window',
    ...names,
    'metric',
    'neighbours',
    'from',
    'to',
    ...figureNames,
    'haltReason',
    'proof',
    'error',
  ];
  const lines = rows.map(({ set, window, params, metric, neighbours, run, proof, error }) => [
    ...[set, window, ...names.map((name) => params[name]), metric, neighbours, run?.from, run?.to],
    ...figureNames.map((name) => run?.figures[name]),
    ...[run?.haltReason, proof, error],
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function figureNamesOf(figures: readonly Figures[]): readonly (keyof Figures)[] {
  const [first] = figures;
  return first ? (Object.keys(first) as (keyof Figures)[]) : [];
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
