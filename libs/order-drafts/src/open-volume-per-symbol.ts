import { Decimal } from 'decimal.js';
import { volumeText } from '@libs/terminal-client';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryRefused, type OrderRefusal } from './refusal';

/** MAX_OPEN_VOLUME_PER_SYMBOL: lots open of the order's symbol after the entry. */
export function openVolumePerSymbol(
  entry: ProposedEntry,
  exposure: Exposure,
  limits: EntryLimits,
): OrderRefusal | null {
  const { maxOpenVolumePerSymbol: limit } = limits;
  if (limit === null) return null;
  const { symbol, addedVolume } = entry;
  const value = exposure.openVolume && (exposure.openVolume.get(symbol) ?? 0);
  if (value !== null && new Decimal(value).plus(addedVolume).lte(limit)) return null;
  return entryRefused(
    'open_volume_exceeded',
    `${value === null ? 'an unknown number of' : volumeText(value)} lots of ${symbol} are open; with ${volumeText(addedVolume)} more they exceed ` +
      `MAX_OPEN_VOLUME_PER_SYMBOL ${limit}`,
    { limit, value, requested: addedVolume, setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol },
  );
}
