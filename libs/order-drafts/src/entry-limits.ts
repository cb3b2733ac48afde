import { Decimal } from 'decimal.js';
import { countText, lotsText, moneyText, volumeText } from '@libs/terminal-client';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryRefused, type OrderRefusal } from './refusal';

type EntryCheck = (entry: ProposedEntry, exposure: Exposure, limits: EntryLimits) => OrderRefusal | null;

/** In the order of their checks: after the market checks, right before the send. */
export const entryChecks: readonly EntryCheck[] = [orderRate, openVolumePerSymbol, openVolume, dailyLoss];

/** MAX_ORDERS_PER_MINUTE: entries sent in the last 60 seconds. */
function orderRate(_entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxOrdersPerMinute: limit } = limits;
  if (limit === null || exposure.ordersLastMinute < limit) return null;
  const seconds = Math.max(1, Math.ceil(exposure.nextOrderInMs / 1_000));
  return entryRefused(
    'order_rate_exceeded',
    `${countText(exposure.ordersLastMinute, 'entry was', 'entries were')} sent in the last minute; MAX_ORDERS_PER_MINUTE is ${limit}`,
    { limit, value: exposure.ordersLastMinute, setting: 'MAX_ORDERS_PER_MINUTE' },
    seconds,
  );
}

/** MAX_OPEN_VOLUME_PER_SYMBOL: lots open of the order's symbol after the entry. */
function openVolumePerSymbol(entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxOpenVolumePerSymbol: limit } = limits;
  if (limit === null) return null;
  const { symbol, addedVolume } = entry;
  const value = exposure.openVolume && (exposure.openVolume.get(symbol) ?? 0);
  if (value !== null && new Decimal(value).plus(addedVolume).lte(limit)) return null;
  return entryRefused(
    'open_volume_exceeded',
    `${openText(value, ` of ${symbol}`)}; with ${volumeText(addedVolume)} more they exceed ` +
      `MAX_OPEN_VOLUME_PER_SYMBOL ${limit}`,
    { limit, value, requested: addedVolume, setting: 'MAX_OPEN_VOLUME_PER_SYMBOL', symbol },
  );
}

/** MAX_OPEN_VOLUME: lots open after the entry, all symbols together. */
function openVolume(entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxOpenVolume: limit } = limits;
  if (limit === null) return null;
  const value = exposure.openVolume && totalVolume(exposure.openVolume);
  if (value !== null && new Decimal(value).plus(entry.addedVolume).lte(limit)) return null;
  return entryRefused(
    'open_volume_exceeded',
    `${openText(value)}; with ${volumeText(entry.addedVolume)} more they exceed MAX_OPEN_VOLUME ${limit}`,
    { limit, value, requested: entry.addedVolume, setting: 'MAX_OPEN_VOLUME' },
  );
}

/** Lots of all symbols together. */
export function totalVolume(volumes: ReadonlyMap<string, number>): number {
  return Decimal.sum(0, ...volumes.values()).toNumber();
}

/** MAX_DAILY_LOSS: once the broker's day has lost this much, closed and floating, nothing new is opened. */
function dailyLoss(_entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxDailyLoss: limit } = limits;
  const { dailyLoss: value } = exposure;
  if (limit === null || (value !== null && value < limit)) return null;
  return entryRefused(
    'daily_loss_exceeded',
    `the loss of the broker's day is ${value === null ? 'unknown' : moneyText(value, exposure.currencyDigits)}; MAX_DAILY_LOSS is ${limit}`,
    { limit, value, setting: 'MAX_DAILY_LOSS' },
  );
}

/** @param of the symbol, with a space before it; of all symbols when omitted */
function openText(lots: number | null, of = ''): string {
  if (lots === null) return `an unknown number of lots${of} are open`;
  return lotsText(lots, `lot${of} is open`, `lots${of} are open`);
}
