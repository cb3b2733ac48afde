import { table } from '@libs/command-line';
import { priceText, shownDigits, volumeText } from '@libs/gateway-client/figure-text';
import { amountsIn } from './figure-rows';
import type { OpenPosition } from './open-positions';
import { shown } from './period';

/** Rows of the table for a terminal; the page and the JSON have all. */
const mostRows = 20;

/** An open position, in a portfolio with the strategy that has it. */
export type OpenRow = OpenPosition & { readonly strategy?: string };

/** What table and page show of open positions after their times. */
export function openHeadings(open: readonly OpenRow[]): readonly string[] {
  const ofPortfolio = open.some(({ strategy }) => strategy !== undefined) ? ['strategy'] : [];
  return [...ofPortfolio, 'side', 'symbol', 'lots', 'entry', 'sl', 'tp', 'tag', 'floating'];
}

/** Digits of the prices of symbols; without those that are not known. */
export type DigitsOfSymbols = Readonly<Record<string, { readonly digits?: number }>>;

/** An open position as texts: its time, then as {@link openHeadings}. */
export function openRow(position: OpenRow, symbols: DigitsOfSymbols, currency: string): string[] {
  const { openedMs, strategy, side, symbol, volume, entryPrice, sl, tp, tag, floating } = position;
  const digits = symbols[symbol]?.digits ?? shownDigits([entryPrice, sl, tp].filter((price) => price !== 0));
  const level = (price: number): string => (price === 0 ? '–' : priceText(price, digits));
  return [
    ...[openedMs === null ? '–' : shown(openedMs), ...(strategy === undefined ? [] : [strategy])],
    ...[side, symbol, volumeText(volume), level(entryPrice), level(sl), level(tp)],
    ...[tag ?? '–', amountsIn(currency)(floating)],
  ];
}

/** Open positions as tables for a terminal: none without one. */
export function openTables(open: readonly OpenRow[], symbols: DigitsOfSymbols, currency: string): readonly string[] {
  if (open.length === 0) return [];
  const more = open.length > mostRows ? `\nand ${open.length - mostRows} more` : '';
  const headings = ['STILL OPEN', ...openHeadings(open).map((name) => name.toUpperCase())];
  return [
    `${table(
      headings,
      open.slice(0, mostRows).map((one) => openRow(one, symbols, currency)),
    )}${more}`,
  ];
}
