import type { HttpAnswer } from '../asks';
import type { SendRecord } from '../sends';

/** What the broker's books say of money at an instant. */
export interface MoneyNow {
  /** The server's clock, in milliseconds. */
  readonly serverMs: number;
  /** Results of deals in the account currency, with their times on the server's clock. */
  readonly results: readonly { readonly atMs: number; readonly result: number }[];
  /** Floating results of the open positions. */
  readonly floating: readonly number[];
}

/** Bounds of the loss that a gateway can have seen at an instant, in the account currency. */
export interface SeenLoss {
  readonly least: number;
  readonly most: number;
}

const dayMs = 86_400_000;
/** A broker's clock of trades may be behind that of its quotes. */
const clockMs = 10_000;

/**
 * The loss of the server's day, as far as a gateway can have seen it: its lists may be late, and show a position beside the
 * deal that has closed it.
 * @param lateMs by how much lists may be late
 * @param slack for prices that move between the reads
 */
export function lossSeen({ serverMs, results, floating }: MoneyNow, lateMs: number, slack: number): SeenLoss {
  const dayBeganMs = Math.floor(serverMs / dayMs) * dayMs;
  const isKnown = (atMs: number): boolean => atMs >= dayBeganMs + clockMs && atMs <= serverMs - lateMs;
  const mayCount = (atMs: number): boolean => atMs >= dayBeganMs - Math.max(clockMs, lateMs);
  const openLoss = -sumOf(floating);
  const known = results.filter(({ atMs }) => isKnown(atMs)).map(({ result }) => -result);
  const gains = results.filter(({ atMs, result }) => mayCount(atMs) && !isKnown(atMs) && result > 0);
  const losses = results.filter(({ atMs, result }) => mayCount(atMs) && result < 0);
  return {
    least: sumOf(known) - sumOf(gains.map(({ result }) => result)) + openLoss - slack,
    // A position that is shown beside the deal that closed it counts twice.
    most: -2 * sumOf(losses.map(({ result }) => result)) - sumOf(floating.filter((one) => one < 0)) + slack,
  };
}

/** No entry is sent once the loss of the server's day has reached the limit. @param seen when the gateway may have read it */
export function sentOverLoss(send: SendRecord, limit: number, seen: readonly SeenLoss[]): string[] {
  if (send.addedLots <= 0) return [];
  const least = Math.min(...seen.map((one) => one.least));
  if (least < limit) return [];
  return [`send ${send.number} (${send.marker}) goes out at a loss of the day of ${least.toFixed(2)}, limit ${limit}`];
}

/** No entry is denied for the loss of a day that has not reached the limit. @param seen while the request was handled */
export function deniedWithoutLoss({ body }: HttpAnswer, limit: number, seen: readonly SeenLoss[]): string[] {
  if (body['error_type'] !== 'daily_loss_exceeded') return [];
  const most = Math.max(...seen.map((one) => one.most));
  if (most >= limit) return [];
  return [`an entry was denied for the loss of the day, which was ${most.toFixed(2)} at most, limit ${limit}`];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
