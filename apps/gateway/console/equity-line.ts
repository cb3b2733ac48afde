import type { EquityReading } from '@libs/gateway-client';
import type { BalancePoint } from './balance-line';

/** UTC milliseconds, and the equity in the deposit currency; null in a gap. */
export type EquityPoint = readonly [atMs: number, equity: number | null];

/** Readings further apart than this many steps have an outage between them. */
const gapSteps = 2.5;

/**
 * The equity that the gateway recorded, and then what this page has read since, as one line with its gaps.
 * @param recorded oldest first, one for each `everyMs`
 * @param read oldest first, with the gaps of this page
 */
export function equityLine(
  recorded: readonly EquityReading[],
  everyMs: number,
  read: readonly EquityPoint[],
): readonly EquityPoint[] {
  const points: EquityPoint[] = [];
  for (const { at, equity } of recorded) {
    const atMs = Date.parse(at);
    const beforeMs = points.at(-1)?.[0] ?? atMs;
    if (atMs - beforeMs > gapSteps * everyMs) points.push([beforeMs + 1, null]);
    points.push([atMs, equity]);
  }
  const lastMs = points.at(-1)?.[0] ?? 0;
  const later = read.filter(([atMs]) => atMs > lastMs);
  const firstMs = later[0]?.[0] ?? lastMs;
  const gap: EquityPoint[] = points.length > 0 && firstMs - lastMs > gapSteps * everyMs ? [[lastMs + 1, null]] : [];
  return [...points, ...gap, ...later];
}

/** The balance over a longer time than its deals were read for: as recorded before the first of them. */
export function longBalanceLine(
  recorded: readonly EquityReading[],
  line: readonly BalancePoint[],
): readonly BalancePoint[] {
  const fromMs = line[0]?.[0] ?? Infinity;
  const before = recorded.map(({ at, balance }): BalancePoint => [Date.parse(at), balance]);
  return [...before.filter(([atMs]) => atMs < fromMs), ...line];
}
