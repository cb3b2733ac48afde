import {
  OrderType,
  tradeRequest,
  TradeAction,
  TradeReason,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AccountRows } from './account-books';
import {
  unknownBecause,
  type IntentRecord,
  type TradePurpose,
  type TradeRequestRecord,
} from '../trade-core/journal-records';
import { tagOfKey, tagPattern } from './key-marks';
import { unknownFingerprint } from '../trade-core/known-key';
import { isByLevel, isExit, type ClaimOf } from './trace-match';
import { unknownOutcomeAnswer } from './unknown-outcome.error';

/** An order of the broker's books, as its row or, without one, as a deal or position shows it. */
interface Sent {
  readonly order: number;
  readonly login: number | null;
  readonly purpose: TradePurpose;
  readonly request: IntentRecord['request'];
  readonly positionId: number;
  readonly timeMsc: number;
}

/** A request as the books show it, with an outcome to be looked up. */
export interface LostRequest {
  readonly record: TradeRequestRecord;
  readonly intents: readonly IntentRecord[];
}

/** An order as a list shows it, and how much the row states of it. */
interface ShownOrder {
  readonly comment: string;
  readonly sent: Sent;
  readonly detail: 'position' | 'deal' | 'order' | 'order_with_deal';
}

const details: readonly ShownOrder['detail'][] = ['position', 'deal', 'order', 'order_with_deal'];

/**
 * Keys that only a lost journal had, as the broker's books show them: by the tag in the comment of an order. Nothing is sent under
 * such a key; its outcome is looked up like that of any lost send. An order with a client's own comment has no tag. What was seen
 * once stays: a later list may lack it.
 */
export class LostKeys {
  private readonly byOrder = new Map<string, ShownOrder>();
  private byTag: ReadonlyMap<string, readonly Sent[]> = new Map();
  /** Accounts whose books were whole when they were read. */
  private readonly whole = new Set<number | null>();

  constructor(private readonly newId: () => string) {}

  /** Whether the whole books of an account were taken up: then a key that they do not show is unused. */
  isWhole(login: number | null): boolean {
    return this.whole.has(login);
  }

  /** As before the first read: what the books have now beside the known keys is not known. */
  doubt(): void {
    this.whole.clear();
  }

  /** Takes up what the account shows. @param isWhole whether that is everything that it has */
  take({ positions, orders, deals }: AccountRows, login: number | null, isWhole: boolean): void {
    for (const row of positions) if (row.identifier > 0) this.keep(ofPosition(row, login));
    // Orders that a level or a stop-out made carry the comment of the position at some brokers.
    for (const row of deals) if (row.order > 0 && !isByLevel(row)) this.keep(ofDeal(row, login));
    const dealOf = new Map(deals.map((deal) => [deal.order, deal]));
    for (const row of orders) if (!isByLevel(row)) this.keep(ofOrder(row, dealOf.get(row.ticket), login));
    const byTag = new Map<string, Sent[]>();
    const oldestFirst = [...this.byOrder.values()].sort((one, other) => one.sent.timeMsc - other.sent.timeMsc);
    for (const { comment, sent } of oldestFirst) {
      const before = byTag.get(comment) ?? [];
      const isAlike = before.every(({ purpose }) => (purpose === 'close') === (sent.purpose === 'close'));
      if (isAlike) byTag.set(comment, [...before, sent]);
    }
    this.byTag = byTag;
    if (isWhole) this.whole.add(login);
  }

  private keep(shown: ShownOrder): void {
    if (!tagPattern.test(shown.comment)) return;
    const id = `${shown.sent.login ?? ''}/${shown.sent.order}`;
    const before = this.byOrder.get(id);
    if (before && details.indexOf(before.detail) > details.indexOf(shown.detail)) return;
    this.byOrder.set(id, shown);
  }

  /**
   * The request of a key whose tag an order has, with an outcome to be looked up; undefined if no order has it.
   * @param nowMs UTC
   */
  find(key: string, nowMs: number): LostRequest | undefined {
    const sends = this.byTag.get(tagOfKey(key));
    const [first] = sends ?? [];
    if (!sends || !first) return undefined;
    const id = this.newId();
    const reason = `the trade journal was lost; order ${sends.map(({ order }) => order).join(', ')} has the tag of this key`;
    const [one, many] = ['/close_position', '/close_all_positions'];
    const path = first.purpose !== 'close' ? '/order' : sends.length === 1 ? one : many;
    const answer = unknownOutcomeAnswer(reason, key, id);
    const record: TradeRequestRecord = {
      id,
      key,
      clientOrderId: key,
      requestId: id,
      login: first.login,
      method: 'POST',
      path,
      route: `POST ${path}`,
      fingerprint: unknownFingerprint,
      status: 'unknown',
      createdAtMs: nowMs,
      settledAtMs: null,
      responseStatus: answer.status,
      response: answer.body,
    };
    const outcome = unknownBecause(reason);
    const intents = sends.map(({ purpose, request, positionId, timeMsc }, index): IntentRecord => {
      const facts = { key, purpose, request, serverTimeMsc: timeMsc, positionId, positionVolume: request.volume };
      return { id: `${id}/${index}`, ...facts, createdAtMs: nowMs, ofLostJournal: true, outcome };
    });
    return { record, intents };
  }
}

/** How many orders of programs have no request in the journal and no tag: whose keys they were cannot be known. */
export function ordersWithoutTag({ orders }: AccountRows, claimOf: ClaimOf): number {
  return orders.filter(
    ({ ticket, reason, comment }) =>
      reason === TradeReason.EXPERT && !tagPattern.test(comment) && claimOf(ticket) === undefined,
  ).length;
}

type Row = Pick<TradeOrder, 'symbol' | 'type' | 'magic' | 'comment'>;

/** @param facts of the send that the row lacks or names in its own way */
function shownOrder(
  row: Row,
  detail: ShownOrder['detail'],
  { action = TradeAction.DEAL, ...facts }: Partial<TradeRequest> & Pick<TradeRequest, 'volume' | 'price'>,
  sent: Omit<Sent, 'request' | 'positionId'>,
): ShownOrder {
  const { symbol, type, magic, comment } = row;
  const request = tradeRequest({ action, symbol, type, magic, comment, ...facts });
  return { comment, sent: { ...sent, request, positionId: request.position }, detail };
}

function ofOrder(row: TradeOrder, deal: TradeDeal | undefined, login: number | null): ShownOrder {
  const closes = deal ? isExit(deal) : row.position_id > 0 && row.position_id !== row.ticket;
  const isMarket = row.type === OrderType.BUY || row.type === OrderType.SELL;
  const { volume_initial: volume, price_open: price, sl, tp } = row;
  const action = isMarket ? TradeAction.DEAL : TradeAction.PENDING;
  const purpose = closes ? 'close' : isMarket ? 'open' : 'place_pending';
  const facts = { action, volume, price, sl, tp, position: closes ? row.position_id : 0 };
  const sent = { order: row.ticket, login, purpose, timeMsc: row.time_setup_msc } as const;
  return shownOrder(row, deal ? 'order_with_deal' : 'order', facts, sent);
}

function ofDeal(row: TradeDeal, login: number | null): ShownOrder {
  const { volume, price } = row;
  const [purpose, position] = isExit(row) ? (['close', row.position_id] as const) : (['open', 0] as const);
  const sent = { order: row.order, login, purpose, timeMsc: row.time_msc };
  return shownOrder(row, 'deal', { volume, price, position }, sent);
}

function ofPosition(row: TradePosition, login: number | null): ShownOrder {
  const { volume, price_open: price, sl, tp } = row;
  const sent = { order: row.identifier, login, purpose: 'open', timeMsc: row.time_msc } as const;
  return shownOrder(row, 'position', { volume, price, sl, tp }, sent);
}
