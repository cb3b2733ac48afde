import type { HttpRequest, Variant } from './asks';
import { magicOfKey, tagOfKey } from '../../apps/gateway/src/trade-journal/key-marks';
import type { NumberedPrices } from './numbered-levels';
import type { SeededRandom } from './seeded-random';
import { openMarker } from './sends';

/** What shows at the broker of an order. */
interface Marks {
  readonly fields: { readonly magic?: number; readonly comment?: string };
  readonly magic: number;
  readonly comment: string;
}

/**
 * What identifies the order: marks of the client's own, or those that the gateway makes from the key.
 * @param own the magic number that it has in any case; null if it may have any
 */
export function marksOf(key: string, number: number, random: SeededRandom, own: number | null): Marks {
  const magic = own ?? (random.chance(0.5) ? 10_000 + number : undefined);
  const comment = random.chance(0.3) ? `o${number}` : undefined;
  const fields = { ...(magic === undefined ? {} : { magic }), ...(comment === undefined ? {} : { comment }) };
  return { fields, magic: magic ?? magicOfKey(key), comment: comment ?? tagOfKey(key) };
}

/** An order with its marks. */
export function marked(request: HttpRequest, { magic, comment }: Marks): Variant {
  return { request, marker: openMarker(magic, comment) };
}

/** Of a position. */
type Side = 'BUY' | 'SELL';

/** Levels of a new order: some have both, some none. */
export function levelsFor(
  prices: NumberedPrices,
  symbol: string,
  side: Side,
  number: number,
  random: SeededRandom,
): { sl?: number; tp?: number } {
  return {
    ...(random.chance(0.5) ? { sl: levelOf(prices, symbol, side, 'sl', number) } : {}),
    ...(random.chance(0.3) ? { tp: levelOf(prices, symbol, side, 'tp', number) } : {}),
  };
}

/** A level beyond the market that carries the number of its request. */
export function levelOf(
  prices: NumberedPrices,
  symbol: string,
  side: Side,
  level: 'sl' | 'tp',
  number: number,
): number {
  return prices.price(symbol, (side === 'BUY') === (level === 'sl') ? 'low' : 'high', number);
}
