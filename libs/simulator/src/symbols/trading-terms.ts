import type { SymbolSpec } from './symbol-spec';

/** The terms of a symbol that a broker may change while its market runs. */
export const changeable = [
  'trade_mode',
  'trade_exemode',
  'trade_stops_level',
  'trade_freeze_level',
  'filling_mode',
  'expiration_mode',
  'order_mode',
  'order_gtc_mode',
  'volume_min',
  'volume_max',
  'volume_step',
  'volume_limit',
  'swap_mode',
  'swap_long',
  'swap_short',
  'swap_rollover3days',
] as const satisfies readonly (keyof SymbolSpec)[];

/** What a broker may change of a symbol while its market runs; prices, contract and margin stay as they are. */
export type TradingTerms = Pick<SymbolSpec, (typeof changeable)[number]>;

/**
 * Terms that came from outside.
 * @throws TypeError naming the field that cannot be changed or has no number
 */
export function parseTradingTerms(value: unknown): Partial<TradingTerms> {
  if (typeof value !== 'object' || value === null) throw new TypeError('the terms of a symbol must be an object');
  for (const [field, content] of Object.entries(value)) {
    if (!changeable.some((name) => name === field)) {
      throw new TypeError(`${field} cannot be changed; only these can: ${changeable.join(', ')}`);
    }
    if (typeof content !== 'number' || !Number.isFinite(content)) throw new TypeError(`${field} needs a number`);
  }
  return value;
}
