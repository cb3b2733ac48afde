import type { Ask, HttpAnswer, HttpRequest, Variant } from '../asks';
import { mayBeDone, type SendRecord } from '../sends';

/** A key that has succeeded does not succeed for another body. */
export function succeededForOther({ key, success, isForgotten }: Ask, request: HttpRequest): string[] {
  if (success === null || isForgotten || isSameBody(success.request, request)) return [];
  return [`${key} has succeeded for ${bodyOf(success.request)}, and now for ${bodyOf(request)}`];
}

/** A success of an order is not that of another body under the key. @param done the sends that did what it asked for */
export function succeededByOther(
  ask: Pick<Ask, 'key' | 'kind' | 'isForgotten'>,
  { request }: Pick<Variant, 'request'>,
  done: readonly SendRecord[],
): string[] {
  const { key, isForgotten } = ask;
  if (isForgotten || done.length === 0 || done.some((send) => hasBody(send, ask, request))) return [];
  const numbers = done.map(({ number }) => number).join(', ');
  return [`${key} has succeeded for ${bodyOf(request)}, and send ${numbers} had another body`];
}

/**
 * Nothing is sent for another body of a key under which something was sent that was done, or may be.
 * @param asked who asked for it
 * @param sentWith the sends that show so at the broker
 */
export function sentForOther(
  send: SendRecord,
  asked: readonly Ask[],
  sentWith: (marker: string) => readonly SendRecord[],
): string[] {
  const [ask] = asked;
  if (!ask || asked.length > 1) return [];
  const others = new Set(ask.variants.map(({ marker }) => marker).filter((marker) => marker !== send.marker));
  const earlier = [...others].flatMap((marker) => (marker === null ? [] : sentWith(marker)));
  return earlier
    .filter((other) => mayBeDone(other) && !other.isForgotten)
    .map((other) => `send ${send.number} (${send.marker}) goes out under ${ask.key}, after send ${other.number}`);
}

/**
 * An answer that lacks members of the first one says that it replaces one that is no longer kept, or that the outcome was
 * recovered.
 */
export function replacedUnmarked({ key, success }: Ask, { body }: Pick<HttpAnswer, 'body'>): string[] {
  const lacking = Object.keys(success?.body ?? {}).filter((member) => !(member in body));
  const isMarked = body['original_response_expired'] === true || body['recovered'] === true;
  return lacking.length === 0 || isMarked
    ? []
    : [`an answer to ${key} lacks ${lacking.join(', ')}, and does not say why`];
}

/** Whether a send has the volume and, for an order, the levels that a request asks for. */
export function hasBody({ request: sent }: SendRecord, { kind }: Pick<Ask, 'kind'>, { body }: HttpRequest): boolean {
  const wanted: Readonly<Record<string, unknown>> = { ...body };
  const makesOrder = kind === 'open' || kind === 'pending';
  if (!makesOrder && kind !== 'close_partial') return true;
  if ('volume' in wanted && sent.volume !== Number(wanted['volume'])) return false;
  return !makesOrder || (sent.sl === Number(wanted['sl'] ?? 0) && sent.tp === Number(wanted['tp'] ?? 0));
}

function isSameBody(one: HttpRequest, other: HttpRequest): boolean {
  return one === other || bodyOf(one) === bodyOf(other);
}

function bodyOf({ body }: HttpRequest): string {
  return JSON.stringify(body ?? {});
}
