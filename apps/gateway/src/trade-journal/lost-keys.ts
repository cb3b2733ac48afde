import {
  DealEntry,
  OrderType,
  tradeRequest,
  TradeAction,
  TradeReason,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import type { IntentRecord, TicketClaim, TradePurpose, TradeRequestRecord } from './journal-records';
import { tagOfKey, tagPattern } from './key-marks';
import { unknownFingerprint } from './remembered-key';
import { revived, type TradeAttempt } from './trade-attempt';
import { unknownOutcomeAnswer } from './unknown-outcome.error';

/** What the account shows of the past: positions, orders and deals. */
export interface AccountRows {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/** An order of the broker's books, as its row or, without one, as a deal or position shows it. */
interface Sent {
  readonly order: number;
  readonly purpose: TradePurpose;
  readonly request: IntentRecord['request'];
  readonly positionId: number;
  readonly timeMsc: number;
}

/** Orders that a level or a stop-out made carry the comment of the position at some brokers. */
const byLevel: readonly number[] = [TradeReason.SL, TradeReason.TP, TradeReason.SO];

/**
 * Keys that only a lost journal had, as the broker's books show them: by the tag in the comment of an order. Nothing is sent under
 * such a key; its outcome is looked up like that of any lost send. An order with a client's own comment has no tag.
 */
export class LostKeys {
  private byTag: ReadonlyMap<string, readonly Sent[]> | null = null;
  private login: number | null = null;

  constructor(private readonly newId: () => string) {}

  /** Whether the books were read since the start or the last acceptance. */
  get isRead(): boolean {
    return this.byTag !== null;
  }

  /** As before the first read: what the books have now is not known. */
  forget(): void {
    this.byTag = null;
  }

  /** Takes up what the account shows. @param login of that account */
  take(rows: AccountRows, login: number | null): void {
    const byOrder = new Map<number, { readonly comment: string; readonly sent: Sent }>();
    const { positions, orders, deals } = rows;
    for (const row of positions) if (row.identifier > 0) byOrder.set(row.identifier, ofPosition(row));
    for (const row of deals) if (row.order > 0 && !byLevel.includes(row.reason)) byOrder.set(row.order, ofDeal(row));
    const dealOf = new Map(deals.map((deal) => [deal.order, deal]));
    for (const row of orders)
      if (!byLevel.includes(row.reason)) byOrder.set(row.ticket, ofOrder(row, dealOf.get(row.ticket)));
    const byTag = new Map<string, Sent[]>();
    const oldestFirst = [...byOrder.values()].sort((one, other) => one.sent.timeMsc - other.sent.timeMsc);
    for (const { comment, sent } of oldestFirst) {
      const before = byTag.get(comment) ?? [];
      const isAlike = before.every(({ purpose }) => (purpose === 'close') === (sent.purpose === 'close'));
      if (tagPattern.test(comment) && isAlike) byTag.set(comment, [...before, sent]);
    }
    this.byTag = byTag;
    this.login = login;
  }

  /**
   * The request of a key whose tag an order has, with an outcome to be looked up; undefined if no order has it.
   * @param nowMs UTC
   */
  find(key: string, nowMs: number): TradeAttempt | undefined {
    const sends = this.byTag?.get(tagOfKey(key));
    const [first] = sends ?? [];
    if (!sends || !first) return undefined;
    const id = this.newId();
    const reason = `the trade journal was lost; order ${sends.map(({ order }) => order).join(', ')} has the tag of this key`;
    const [one, many] = ['/close_position', '/close_all_positions'];
    const path = first.purpose !== 'close' ? '/order' : sends.length === 1 ? one : many;
    const record: TradeRequestRecord = {
      ...{ id, key, clientOrderId: key, requestId: id, login: this.login, method: 'POST', path, route: `POST ${path}` },
      ...{ fingerprint: unknownFingerprint, status: 'unknown', createdAtMs: nowMs, settledAtMs: null },
      ...unknownOutcomeAnswer(reason, key, id),
    };
    const outcome = { kind: 'unknown', reason, result: null, lastError: null } as const;
    const intents = sends.map(({ purpose, request, positionId, timeMsc }, index): IntentRecord => {
      const facts = { key, purpose, request, serverTimeMsc: timeMsc, positionId, positionVolume: request.volume };
      return { id: `${id}/${index}`, ...facts, createdAtMs: nowMs, ofLostJournal: true, outcome };
    });
    const attempt = revived(record, intents);
    attempt.dirty = true;
    return attempt;
  }
}

/** How many orders of programs have no request in the journal and no tag: whose keys they were cannot be known. */
export function ordersWithoutTag(
  { orders }: AccountRows,
  claimOf: (ticket: number) => TicketClaim | undefined,
): number {
  return orders.filter(
    ({ ticket, reason, comment }) =>
      reason === TradeReason.EXPERT && !tagPattern.test(comment) && claimOf(ticket) === undefined,
  ).length;
}

function ofOrder(row: TradeOrder, deal: TradeDeal | undefined): { readonly comment: string; readonly sent: Sent } {
  const closes = deal ? isExit(deal) : row.position_id > 0 && row.position_id !== row.ticket;
  const isMarket = row.type === OrderType.BUY || row.type === OrderType.SELL;
  const request = tradeRequest({
    ...{ action: isMarket ? TradeAction.DEAL : TradeAction.PENDING, symbol: row.symbol, volume: row.volume_initial },
    ...{ type: row.type, price: row.price_open, sl: row.sl, tp: row.tp, magic: row.magic, comment: row.comment },
    position: closes ? row.position_id : 0,
  });
  const purpose = closes ? 'close' : isMarket ? 'open' : 'place_pending';
  const positionId = closes ? row.position_id : 0;
  return {
    comment: row.comment,
    sent: { order: row.ticket, purpose, request, positionId, timeMsc: row.time_setup_msc },
  };
}

function ofDeal(row: TradeDeal): { readonly comment: string; readonly sent: Sent } {
  const positionId = isExit(row) ? row.position_id : 0;
  const request = tradeRequest({
    ...{ action: TradeAction.DEAL, symbol: row.symbol, volume: row.volume, type: row.type, price: row.price },
    ...{ magic: row.magic, comment: row.comment, position: positionId },
  });
  const purpose = isExit(row) ? 'close' : 'open';
  return { comment: row.comment, sent: { order: row.order, purpose, request, positionId, timeMsc: row.time_msc } };
}

function ofPosition(row: TradePosition): { readonly comment: string; readonly sent: Sent } {
  const request = tradeRequest({
    ...{ action: TradeAction.DEAL, symbol: row.symbol, volume: row.volume, type: row.type, price: row.price_open },
    ...{ magic: row.magic, comment: row.comment, sl: row.sl, tp: row.tp },
  });
  const sent: Sent = { order: row.identifier, purpose: 'open', request, positionId: 0, timeMsc: row.time_msc };
  return { comment: row.comment, sent };
}

function isExit({ entry }: TradeDeal): boolean {
  return entry === DealEntry.OUT || entry === DealEntry.OUT_BY;
}
