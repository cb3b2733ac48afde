import { orderTypeName, OrderTime, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { HttpRequest, Variant } from '../asks';
import { isEntry, type SendRecord } from '../sends';

/** Seconds of the server's clock at an instant, in UTC milliseconds. */
export type ServerSeconds = (utcMs: number) => number;

/**
 * An order is as one of its requests asks for: symbol, side, volume, price, levels, and when it expires.
 * @param variants what is asked for under its marks; none when no client asked
 */
export function otherThanAsked(
  send: SendRecord,
  variants: readonly Pick<Variant, 'request' | 'expiresMs'>[],
  serverSeconds: ServerSeconds,
): string[] {
  if (!isEntry(send.request) || variants.length === 0) return [];
  const differences = variants.map((variant) => differencesOf(send.request, variant, serverSeconds));
  if (differences.some((one) => one.length === 0)) return [];
  return [`send ${send.number} (${send.marker}) differs from what was asked for: ${differences[0]?.join(', ')}`];
}

/** Whether a request has the expiration that is asked for. @param expiresMs UTC; undefined: until it is cancelled */
export function hasExpiration(
  { type_time: kind, expiration }: Pick<TradeRequest, 'type_time' | 'expiration'>,
  expiresMs: number | undefined,
  serverSeconds: ServerSeconds,
): boolean {
  if (expiresMs === undefined) return kind === OrderTime.GTC && expiration === 0;
  return kind === OrderTime.SPECIFIED && expiration === serverSeconds(expiresMs);
}

function differencesOf(
  sent: TradeRequest,
  { request, expiresMs }: { readonly request: Pick<HttpRequest, 'body'>; readonly expiresMs?: number },
  serverSeconds: ServerSeconds,
): string[] {
  const wanted: Readonly<Record<string, unknown>> = { ...request.body };
  const isPending = sent.action === TradeAction.PENDING;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['symbol', sent.symbol, wanted['symbol']],
    ['type', orderTypeName(sent.type), wanted['type']],
    ['volume', sent.volume, wanted['volume']],
    ['sl', sent.sl, wanted['sl'] ?? 0],
    ['tp', sent.tp, wanted['tp'] ?? 0],
    ...(isPending ? ([['price', sent.price, wanted['price']]] as const) : []),
  ];
  const different = pairs.filter(([, one, other]) => one !== other);
  return [
    ...different.map(([name, one, other]) => `${name} is ${String(one)}, not ${String(other)}`),
    ...(!isPending || hasExpiration(sent, expiresMs, serverSeconds)
      ? []
      : [
          `it expires at ${sent.expiration} of the server (kind ${sent.type_time}), asked for: ${expiresMs ?? 'never'}`,
        ]),
  ];
}
