import { isEntry, mayBeDone, type SendRecord } from '../../sends';
import type { TradeAsk } from '../trade-asks';

/** Levels are on the grid of the symbol: they may be rounded by less than this. */
const roundingOf = (price: number): number => price * 1e-5;

/** Every order of the broker belongs to a request of the daemon. @param ask the one that its comment names */
export function unasked(send: SendRecord, ask: TradeAsk | null): string[] {
  if (ask !== null) return [];
  return [`send ${send.number} (${send.marker}) belongs to no request of the daemon`];
}

/** No key has two orders. @param earlier sends under the same key */
export function orderedTwice(send: SendRecord, { key }: TradeAsk, earlier: readonly SendRecord[]): string[] {
  const other = earlier.find((one) => one !== send && mayBeDone(one));
  return other ? [`send ${send.number} is a second order under ${key}, after send ${other.number}`] : [];
}

/** An entry is sent as it was asked for, with its protection. */
export function enteredDifferently(send: SendRecord, { key, body }: TradeAsk): string[] {
  if (!isEntry(send.request)) return [];
  const { request } = send;
  const differs = (['symbol', 'magic', 'volume'] as const).filter((member) => request[member] !== body[member]);
  const lost = (['sl', 'tp'] as const).filter((level) => {
    const wanted = Number(body[level] ?? 0);
    return Math.abs(request[level] - wanted) > roundingOf(wanted);
  });
  return [...differs, ...lost].map(
    (member) =>
      `send ${send.number} under ${key} has ${member} ${request[member]}, and ${String(body[member])} was asked for`,
  );
}

/** Protection changes only on request. @param asks the changes of the position that the daemon has asked for */
export function protectionLost(send: SendRecord, asks: readonly TradeAsk[]): string[] {
  const { standing, request } = send;
  if (!standing) return [];
  return (['sl', 'tp'] as const).flatMap((level) => {
    if (request[level] === standing[level]) return [];
    const isAsked = asks.some(({ body }) =>
      request[level] === 0
        ? body[`clear_${level}`] === true || body[level] === 0
        : Math.abs(Number(body[level] ?? 0) - request[level]) <= roundingOf(request[level]),
    );
    if (isAsked) return [];
    return [
      `send ${send.number} makes ${level} of ${request.position} ${request[level]} from ${standing[level]}, unasked`,
    ];
  });
}
