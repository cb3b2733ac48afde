import { moneyText } from '@libs/terminal-client';
import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryRefused, type OrderRefusal } from './refusal';

/** MAX_DAILY_LOSS: once the broker's day has lost this much, closed and floating, nothing new is opened. */
export function dailyLoss(_entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxDailyLoss: limit } = limits;
  const { dailyLoss: value } = exposure;
  if (limit === null || (value !== null && value < limit)) return null;
  return entryRefused(
    'daily_loss_exceeded',
    `the loss of the broker's day is ${value === null ? 'unknown' : moneyText(value, exposure.currencyDigits)}; MAX_DAILY_LOSS is ${limit}`,
    { limit, value, setting: 'MAX_DAILY_LOSS' },
  );
}
