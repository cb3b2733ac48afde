import { table } from '@libs/command-line';
import { shortNumber } from './figure-rows';
import type { OpenPosition } from './open-positions';
import { shown } from './period';

/** Rows of the table for a terminal; the page and the JSON have all. */
const mostRows = 20;

/** What table and page show of an open position after its time. */
export const openHeadings = ['side', 'symbol', 'lots', 'entry', 'sl', 'tp', 'tag', 'floating'] as const;

/** An open position as texts: its time, then as {@link openHeadings}. */
export function openRow({ openedMs, side, symbol, volume, entryPrice, sl, tp, tag, floating }: OpenPosition): string[] {
  const level = (price: number): string => (price === 0 ? '–' : String(price));
  return [
    ...[openedMs === null ? '–' : shown(openedMs), side, symbol, String(volume), String(entryPrice)],
    ...[level(sl), level(tp), tag ?? '–', shortNumber(floating)],
  ];
}

/** Open positions as tables for a terminal: none without one. */
export function openTables(open: readonly OpenPosition[]): readonly string[] {
  if (open.length === 0) return [];
  const more = open.length > mostRows ? `\nand ${open.length - mostRows} more` : '';
  const headings = ['STILL OPEN', ...openHeadings.map((name) => name.toUpperCase())];
  return [`${table(headings, open.slice(0, mostRows).map(openRow))}${more}`];
}
