import type { SendRecord } from '../sends';

export interface Limits {
  readonly symbols: readonly string[];
  /** Lots. */
  readonly mostOrderVolume: number;
  readonly mostOpenVolume: number;
  readonly mostPerMinute: number;
  /** In the account currency. */
  readonly mostDailyLoss: number;
}

const tolerance = 1e-9;

/** No entry exceeds a limit of the operator's. @param openLots positions, resting orders and entries in transit, without this one */
export function overLimit(send: SendRecord, limits: Limits, openLots: number, entriesOfTheMinute: number): string[] {
  if (send.addedLots < tolerance) return [];
  const { symbol, volume } = send.request;
  const problems: string[] = [];
  if (!limits.symbols.includes(symbol)) problems.push(`${symbol} is not whitelisted`);
  if (volume > limits.mostOrderVolume + tolerance) problems.push(`${volume} lots in one order`);
  if (openLots + send.addedLots > limits.mostOpenVolume + tolerance)
    problems.push(`${openLots} + ${send.addedLots} lots open`);
  if (entriesOfTheMinute >= limits.mostPerMinute) problems.push(`${entriesOfTheMinute} entries in the minute before`);
  return problems.map((problem) => `send ${send.number} (${send.marker}) exceeds a limit: ${problem}`);
}
