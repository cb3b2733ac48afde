import { OrderTime, TradeAction, type TradePosition } from '@libs/terminal-client';
import type { SendRecord } from '../sends';

export type Levels = Pick<TradePosition, 'sl' | 'tp'>;

/** Levels that a client asked for, null for one that is to be removed; what is absent is to stay. */
export interface WantedLevels {
  readonly sl?: number | null;
  readonly tp?: number | null;
  /** Of an order: where it is to rest. */
  readonly price?: number;
}

/**
 * Protection changes only as a client asked: a change leaves what it was not asked to change as it stands when it is sent,
 * or as it stood when the gateway read it, if a change that was given up came in between.
 * @param wanted what the request asked for
 * @param others the sends that change the same position or order
 * @param readBeforeMs how long before its send the gateway may have read what stands
 */
export function protectionLost(
  send: SendRecord,
  wanted: WantedLevels,
  others: readonly SendRecord[],
  readBeforeMs: number,
): string[] {
  const { standing, request, atMs } = send;
  if (!standing) return [];
  const between = others.filter((other) => wasGivenUp(other) && (other.executedAtMs ?? 0) > atMs - readBeforeMs);
  return (['sl', 'tp'] as const).flatMap((level) => {
    const asked = wanted[level];
    const expected =
      asked === undefined
        ? [standing[level], ...between.flatMap(({ replaced }) => replaced?.[level] ?? [])]
        : [asked ?? 0];
    if (expected.includes(request[level])) return [];
    const words = asked === undefined ? 'no client asked to change it' : `a client asked for ${asked}`;
    return [`send ${send.number} makes ${level} ${request[level]} from ${standing[level]}, and ${words}`];
  });
}

/** The expiration of a pending order changes only as a client asked. @param wanted in server seconds; null if it is to stay */
export function expirationLost({ number, request, standing }: SendRecord, wanted: number | null): string[] {
  if (request.action !== TradeAction.MODIFY || standing?.expiration === undefined) return [];
  const { time, seconds } = standing.expiration;
  const expected = wanted === null ? { time, seconds } : { time: OrderTime.SPECIFIED, seconds: wanted };
  if (request.type_time === expected.time && request.expiration === expected.seconds) return [];
  const words = `expiration ${request.expiration} (type ${request.type_time}) from ${seconds} (type ${time})`;
  const asked = wanted === null ? 'no client asked to change it' : `a client asked for ${wanted}`;
  return [`send ${number} makes ${words}, and ${asked}`];
}

/** Changes of one position or order do not overlap, so that none repeats what another one has replaced. */
export function changesOverlap(send: SendRecord, others: readonly SendRecord[]): string[] {
  return others
    .filter(({ run, answeredAtMs }) => run === send.run && answeredAtMs === null)
    .map((other) => `send ${send.number} changes ${ticketOf(send)} while send ${other.number} does`);
}

/** Whether a send changes levels of something that exists. */
export function isChange({ request }: SendRecord): boolean {
  return request.action === TradeAction.SLTP || request.action === TradeAction.MODIFY;
}

export function ticketOf({ request }: SendRecord): number {
  return request.position || request.order;
}

/** The broker acted on it after its sender had given up: no sender can know what it replaced. */
function wasGivenUp({ executedAtMs, answeredAtMs }: SendRecord): boolean {
  return executedAtMs !== null && (answeredAtMs === null || answeredAtMs < executedAtMs);
}
