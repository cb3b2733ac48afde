import { tagOfKey } from '../../../apps/gateway/src/trade-journal/key-marks';
import type { HttpRequest } from '../asks';

/** A trade request of the daemon, under its idempotency key. */
export interface TradeAsk {
  readonly key: string;
  /** The gateway that it was sent to first. */
  readonly site: number;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Opens or enlarges a position. */
  readonly isEntry: boolean;
  /** When it was sent first, in virtual milliseconds, and by which run of the daemon. */
  readonly atMs: number;
  readonly run: number;
}

/** Everything that the daemon has asked its gateways for. */
export class TradeAsks {
  readonly byKey = new Map<string, TradeAsk>();
  /** By gateway and the comment that a gateway makes from the key. */
  private readonly byTag = new Map<string, TradeAsk>();

  /** @returns the request as it was sent first; null for one without a key */
  note(site: number, { method, url, body, headers }: HttpRequest, atMs: number, run: number): TradeAsk | null {
    const key = headers?.['idempotency-key'];
    if (key === undefined) return null;
    const known = this.byKey.get(key);
    if (known) return known;
    const isEntry = method === 'POST' && url === '/order';
    const ask: TradeAsk = { key, site, method, path: url, body: { ...body }, isEntry, atMs, run };
    this.byKey.set(key, ask);
    this.byTag.set(`${site} ${tagOfKey(key)}`, ask);
    return ask;
  }

  /** The request behind an order with this comment. */
  withTag(site: number, comment: string): TradeAsk | null {
    return this.byTag.get(`${site} ${comment}`) ?? null;
  }

  /** Requests to change the levels of a position, or to change a pending order. */
  changesOf(site: number, ticket: number): readonly TradeAsk[] {
    return [...this.byKey.values()].filter(
      (ask) => ask.site === site && (isChangeOfPosition(ask, ticket) || isChangeOfOrder(ask, ticket)),
    );
  }
}

const isChangeOfPosition = ({ path, body }: TradeAsk, ticket: number): boolean =>
  path === '/modify_sl_tp' && body['position'] === ticket;

const isChangeOfOrder = ({ method, path }: TradeAsk, ticket: number): boolean =>
  method === 'PUT' && path === `/orders/${ticket}`;
