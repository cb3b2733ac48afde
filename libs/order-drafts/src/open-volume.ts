import { Decimal } from 'decimal.js';
import { volumeText } from '@libs/terminal-client';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryRefused, type OrderRefusal } from './refusal';

/** MAX_OPEN_VOLUME: lots open after the entry, all symbols together. */
export function openVolume(entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxOpenVolume: limit } = limits;
  if (limit === null) return null;
  const value = exposure.openVolume && totalVolume(exposure.openVolume);
  if (value !== null && new Decimal(value).plus(entry.addedVolume).lte(limit)) return null;
  return entryRefused(
    'open_volume_exceeded',
    `${value === null ? 'an unknown number of' : volumeText(value)} lots are open; with ${volumeText(entry.addedVolume)} more they exceed MAX_OPEN_VOLUME ${limit}`,
    { limit, value, requested: entry.addedVolume, setting: 'MAX_OPEN_VOLUME' },
  );
}

/** Lots of all symbols together. */
export function totalVolume(volumes: ReadonlyMap<string, number>): number {
  return Decimal.sum(0, ...volumes.values()).toNumber();
}
