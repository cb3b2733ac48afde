import { BookType, type BookRow, type Tick } from '@libs/terminal-client';
import { exact } from '../money/decimals';
import type { SymbolSpec } from '../symbols/symbol-spec';

/** Rows of each side; a symbol's record states both together. */
export const bookLevels = 5;

/**
 * A market depth around a quote. Its best rows have what one order can be filled with at the quote, each further one, a tick away,
 * as much again. It follows from the quote alone, so that no price depends on a read.
 */
export function marketBook({ bid, ask }: Pick<Tick, 'bid' | 'ask'>, spec: SymbolSpec): BookRow[] {
  const { trade_tick_size: tick, digits, volume_max } = spec;
  const most = spec.market.depth ?? volume_max;
  const row = (type: number, level: number): BookRow => {
    const price = exact(type === BookType.SELL ? ask : bid).plus(
      exact(tick).mul(type === BookType.SELL ? level : -level),
    );
    const volume = exact(most)
      .mul(level + 1)
      .toNumber();
    return { type, price: price.toDecimalPlaces(digits).toNumber(), volume: Math.round(volume), volume_dbl: volume };
  };
  const levels = Array.from({ length: bookLevels }, (_, level) => level);
  const rows = [
    ...levels.toReversed().map((level) => row(BookType.SELL, level)),
    ...levels.map((level) => row(BookType.BUY, level)),
  ];
  return rows.filter(({ price }) => price > 0);
}
