import type { Ask, Variant } from './asks';
import type { SimulatedBroker } from './broker';
import type { WantedLevels } from './invariants/protection';
import { secondVariants, tradedSymbols } from './numbered-levels';
import { changeMarker } from './sends';
import type { OtherMember } from './steps';

/**
 * The first request of a key with another stop-loss, take-profit or volume, and the same marks.
 * @returns null if it has no such member
 */
export function withOther(
  { variants: [first], kind, ticket, key }: Ask,
  other: OtherMember,
  broker: Pick<SimulatedBroker, 'prices' | 'symbolOf'>,
): Variant | null {
  if (!first || !['open', 'pending', 'levels', 'close_partial'].includes(kind)) return null;
  const { request, levels = {} } = first;
  const body: Readonly<Record<string, unknown>> = { ...request.body };
  if (other === 'volume') {
    const { volume } = body;
    if (typeof volume !== 'number') return null;
    return { ...first, request: { ...request, body: { ...body, volume: Number((volume + 0.01).toFixed(2)) } } };
  }
  const symbol = typeof body['symbol'] === 'string' ? body['symbol'] : broker.symbolOf(ticket);
  const name = levels.sl ? 'sl' : 'tp';
  const level = levels[name];
  if (!level || level < 0.01 || symbol === null || !tradedSymbols.includes(symbol)) return null;
  const moved: WantedLevels = { ...levels, [name]: broker.prices.otherThan(symbol, level) };
  const number = Number(key.slice(1)) + secondVariants;
  return {
    request: { ...request, body: { ...body, [name]: moved[name] } },
    marker: kind === 'levels' ? changeMarker(ticket, number) : first.marker,
    levels: moved,
  };
}
