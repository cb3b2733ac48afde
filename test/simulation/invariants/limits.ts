import { isEntry, type SendRecord } from '../sends';

export interface Limits {
  readonly symbols: readonly string[];
  /** Lots. */
  readonly mostOrderVolume: number;
  readonly mostOpenVolume: number;
  readonly mostOpenVolumePerSymbol: number;
  readonly mostPerMinute: number;
  /** In the account currency. */
  readonly mostDailyLoss: number;
}

const tolerance = 1e-9;

/** Lots of positions, resting orders and entries in transit. */
export interface OpenLots {
  readonly all: number;
  readonly ofSymbol: number;
}

/** No entry exceeds a limit of the operator's. @param open what is open without this one */
export function overLimit(send: SendRecord, limits: Limits, open: OpenLots, entriesOfTheMinute: number): string[] {
  if (send.addedLots < tolerance) return [];
  const { symbol, volume } = send.request;
  const problems: string[] = [];
  if (!limits.symbols.includes(symbol)) problems.push(`${symbol} is not whitelisted`);
  if (volume > limits.mostOrderVolume + tolerance) problems.push(`${volume} lots in one order`);
  const { all, ofSymbol } = open;
  if (all + send.addedLots > limits.mostOpenVolume + tolerance) problems.push(`${all} + ${send.addedLots} lots open`);
  if (ofSymbol + send.addedLots > limits.mostOpenVolumePerSymbol + tolerance)
    problems.push(`${ofSymbol} + ${send.addedLots} lots of ${symbol} open`);
  if (entriesOfTheMinute >= limits.mostPerMinute) problems.push(`${entriesOfTheMinute} entries in the minute before`);
  return problems.map((problem) => `send ${send.number} (${send.marker}) exceeds a limit: ${problem}`);
}

/**
 * What the broker has after an order was executed is within the limits, whatever it was to reduce when it was sent.
 * @param open what the broker has now, without what is in transit
 */
export function executedOverLimit(send: SendRecord, limits: Limits, { all, ofSymbol }: OpenLots): string[] {
  if (!isEntry(send.request)) return [];
  const { mostOpenVolume, mostOpenVolumePerSymbol } = limits;
  const problems = [
    ...(all > mostOpenVolume + tolerance ? [`${all} lots are open, at most ${mostOpenVolume}`] : []),
    ...(ofSymbol > mostOpenVolumePerSymbol + tolerance
      ? [`${ofSymbol} lots of ${send.request.symbol} are open, at most ${mostOpenVolumePerSymbol}`]
      : []),
  ];
  return problems.map((problem) => `after send ${send.number} (${send.marker}), ${problem}`);
}
