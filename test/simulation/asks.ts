import type { TradeRequest } from '@libs/terminal-client';
import type { FenceClaim } from './fenced-strategies';
import type { WantedLevels } from './invariants/protection';
import type { SendRecord, Standing } from './sends';

export type AskKind =
  | 'open'
  | 'pending'
  | 'close'
  | 'close_partial'
  | 'levels'
  | 'clear_levels'
  /** Levels that round to 0. */
  | 'tiny_levels'
  | 'modify_order'
  | 'cancel'
  | 'close_all';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request as it is sent to the gateway. */
export interface HttpRequest {
  readonly method: Method;
  readonly url: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Which run of the gateway gave it. */
  readonly run: number;
}

/** One set of parameters that is asked for under a key. */
export interface Variant {
  readonly request: HttpRequest;
  /** How it shows at the broker; null for many positions at once. */
  readonly marker: string | null;
  /** Levels that it sets, removes, or leaves. */
  readonly levels?: WantedLevels;
  /** When the order is to expire, in UTC milliseconds; absent where the request names no instant. */
  readonly expiresMs?: number;
}

/** What is said last of a request: `open` while anything may still come of it. */
export type LastWord = 'open' | 'done' | 'refused' | 'void' | 'undecidable';

/** Something that a client wants under one idempotency key. */
export interface Ask {
  readonly key: string;
  readonly kind: AskKind;
  readonly client: string;
  /** More than one when the client changes its mind under the same key. */
  readonly variants: Variant[];
  /** Position or order that it is about; 0 for a new one. */
  readonly ticket: number;
  /** Is meant for an account other than the one that the gateway trades for. */
  readonly isStray: boolean;
  /** What it names in X-Fence; null if it names none. */
  readonly fence: FenceClaim | null;
  lastWord: LastWord;
  /** Requests under the key that the gateway has and has not answered. */
  beingHandled: number;
  /** The gateway has forgotten a send for it. */
  isForgotten: boolean;
  /** The order that an answer named. */
  order: number | null;
  /** The marker of the variant that was acknowledged; null before, and for many positions at once. */
  doneMarker: string | null;
  /** The first success under the key; null before. */
  success: FirstSuccess | null;
}

/** A success under a key. */
export interface FirstSuccess {
  readonly request: HttpRequest;
  readonly body: HttpAnswer['body'];
}

/** What clients asked for, by key and by what shows of it at the broker. */
export class AskBook {
  readonly asks = new Map<string, Ask>();
  private readonly byMarker = new Map<string, Ask[]>();
  /** The comment that closes everything under a key. */
  private readonly byTag = new Map<string, Ask>();

  add(ask: Ask): void {
    this.asks.set(ask.key, ask);
    for (const variant of ask.variants) this.addVariant(ask, variant);
  }

  addVariant(ask: Ask, variant: Variant): void {
    if (!ask.variants.includes(variant)) ask.variants.push(variant);
    if (variant.marker === null) return;
    const known = this.byMarker.get(variant.marker) ?? [];
    if (!known.includes(ask)) known.push(ask);
    this.byMarker.set(variant.marker, known);
  }

  /** Closes of any position that carry this comment belong to the request. */
  addTag(tag: string, ask: Ask): void {
    this.byTag.set(tag, ask);
  }

  /** Who asked for what a send does. */
  askedFor({ marker, request }: Pick<SendRecord, 'marker' | 'request'>): readonly Ask[] {
    const closing = request.position !== 0 ? this.byTag.get(request.comment) : undefined;
    const exact = this.byMarker.get(marker) ?? [];
    return closing ? [...exact, closing] : exact;
  }

  /** Everyone who asked for what shows so at the broker. */
  withMarker(marker: string): readonly Ask[] {
    return this.byMarker.get(marker) ?? [];
  }

  /**
   * The marker of the wish behind a change. What a wish leaves as it is, it repeats, so a change may look like several:
   * then it belongs to the one that changes something, and to the newest of those.
   */
  changeBy(request: TradeRequest, standing: Standing | null): string | null {
    const ticket = request.position || request.order;
    const wishes = [...this.asks.values()]
      .filter((ask) => ask.ticket === ticket)
      .flatMap(({ variants }) => variants)
      .filter(({ levels }) => levels && isMadeBy(request, levels));
    const changing = wishes.filter(({ levels }) => levels && standing && changes(levels, standing));
    return (changing.at(-1) ?? wishes.at(-1))?.marker ?? null;
  }

  get open(): Ask[] {
    return [...this.asks.values()].filter(({ lastWord }) => lastWord === 'open');
  }
}

function isMadeBy(request: TradeRequest, { sl, tp, price }: WantedLevels): boolean {
  const isSet = sl !== undefined || tp !== undefined || price !== undefined;
  return (
    isSet &&
    (sl === undefined || request.sl === (sl ?? 0)) &&
    (tp === undefined || request.tp === (tp ?? 0)) &&
    (price === undefined || request.price === price)
  );
}

function changes({ sl, tp, price }: WantedLevels, standing: Standing): boolean {
  return (
    (sl !== undefined && standing.sl !== (sl ?? 0)) ||
    (tp !== undefined && standing.tp !== (tp ?? 0)) ||
    (price !== undefined && standing.price !== price)
  );
}

/** What an answer says of the request it answers. */
export type Verdict =
  /** It was done, or there was nothing left to do. */
  | 'done'
  /** Nothing was done under the key. */
  | 'refused'
  /** Nothing was done with these parameters. */
  | 'conflict'
  /** Nothing was done, and nothing ever is. */
  | 'void'
  /** It may have been done. */
  | 'open'
  /** It may have been done, and it is never found out. */
  | 'undecidable';

/** Whether a success says of a close that the broker has accepted it, and that no fill was seen. */
export function isOnlyAccepted(body: HttpAnswer['body']): boolean {
  return body['state'] === 'placed' && 'closed_volume' in body;
}

/** Reads an answer as docs/trade-path.md tells clients to. */
export function verdictOf({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): Verdict {
  // A close that the broker accepted without a fill may still come to nothing.
  if (status < 300) return isOnlyAccepted(body) ? 'undecidable' : 'done';
  const details = typeof body['details'] === 'object' && body['details'] !== null ? body['details'] : {};
  if (status === 502) return 'undecidable' in details && details.undecidable === true ? 'undecidable' : 'open';
  if (status === 500) return 'open';
  // A journal that replaces a lost one does not know what was done.
  if (body['error_type'] === 'idempotency_in_progress' || body['error_type'] === 'journal_lost') return 'open';
  if (body['error_type'] === 'idempotency_conflict') return 'conflict';
  if (body['error_type'] === 'key_void') return 'void';
  return 'refused';
}
