import { table } from '@libs/command-line';
import type { Position } from '@libs/strategy';
import { shortNumber } from './figure-rows';
import { cells } from './page/markup';
import { tableOf } from './page/report-parts';
import { shown } from './period';

/** A position that was open at the end of a run. A level of 0: there is none. */
export interface OpenPosition extends Pick<Position, 'side' | 'symbol' | 'tag' | 'volume' | 'sl' | 'tp'> {
  readonly position: number;
  /** UTC milliseconds; null if the zone of the broker's clock is not known. */
  readonly openedMs: number | null;
  readonly entryPrice: number;
  /** Floating result at the end, with swap. */
  readonly floating: number;
}

/** Rows of the table for a terminal; the page and the JSON have all. */
const mostRows = 20;
const headings = ['side', 'symbol', 'lots', 'entry', 'sl', 'tp', 'tag', 'floating'];

/** The open positions of a report, the oldest first. */
export function openPositions(positions: readonly Position[]): readonly OpenPosition[] {
  return positions.map(({ ticket, side, symbol, tag, volume, avgPrice, sl, tp, unrealized, openedAtMs }) => ({
    ...{ position: ticket, side, symbol, tag, volume, openedMs: openedAtMs },
    ...{ entryPrice: avgPrice, sl, tp, floating: unrealized },
  }));
}

/** As tables for a terminal: none without an open position. */
export function openTables(open: readonly OpenPosition[]): readonly string[] {
  if (open.length === 0) return [];
  const rows = open.slice(0, mostRows).map(rowOf);
  const more = open.length > mostRows ? `\nand ${open.length - mostRows} more` : '';
  return [`${table(['STILL OPEN', ...headings.map((name) => name.toUpperCase())], rows)}${more}`];
}

/** As a part of the page. */
export function openPart(open: readonly OpenPosition[]): string {
  if (open.length === 0) return '';
  return tableOf(
    'Still open',
    ['opened', ...headings],
    open.map((one) => cells(rowOf(one))),
  );
}

function rowOf({ openedMs, side, symbol, volume, entryPrice, sl, tp, tag, floating }: OpenPosition): string[] {
  const level = (price: number): string => (price === 0 ? '–' : String(price));
  return [
    ...[openedMs === null ? '–' : shown(openedMs), side, symbol, String(volume), String(entryPrice)],
    ...[level(sl), level(tp), tag ?? '–', shortNumber(floating)],
  ];
}
