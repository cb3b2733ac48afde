import type {
  RecordOf,
  signalFields,
  signalStepFields,
  tradeEventFields,
  tradeEventSubjectFields,
} from '@libs/records';
import { orderTypeName, type TradeDeal, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { dealRow, type DealRow } from '../history/deal-row';
import { orderRow, type OrderRow } from '../history/order-row';
import type { ServerTime } from '../server-time/server-time';

/** A position as the terminal lists it, with its time in UTC. */
export type PositionRow = TradePosition & { readonly type_str: string; readonly time_utc: string | null };

/** What happened, in the terminal's own records. */
export type TradeChange =
  | {
      readonly event: 'position';
      readonly action: 'opened' | 'changed' | 'partially_closed' | 'closed';
      readonly ticket: number;
      readonly symbol: string;
      readonly magic: number;
      /** Current or last seen record; null for a position that opened and closed between two snapshots. */
      readonly position: TradePosition | null;
      /** The fields that changed. */
      readonly changed?: readonly string[];
      /** The deals that reduced the volume, including reductions before the position was first seen. */
      readonly deals?: readonly TradeDeal[];
      /** False if the deals found so far do not account for the change. */
      readonly complete?: boolean;
    }
  | {
      readonly event: 'order';
      readonly action: 'opened' | 'changed' | 'closed';
      readonly order: TradeOrder;
      readonly changed?: readonly string[];
      /** False if the order is gone and the history has no record of its end. */
      readonly complete?: boolean;
    }
  | { readonly event: 'deal'; readonly action: 'added' | 'changed'; readonly deal: TradeDeal }
  | { readonly event: 'resync'; readonly action: 'account_changed' | 'account_accepted' };

type EventRow = Readonly<RecordOf<typeof tradeEventFields>>;
type SubjectRow = Readonly<Partial<RecordOf<typeof tradeEventSubjectFields>>>;

/** An alert, and what became of it, as GET /signals has it. */
export interface SignalEventRow extends Readonly<RecordOf<typeof signalFields>> {
  readonly requests: readonly Readonly<RecordOf<typeof signalStepFields>>[];
}

/** One entry of the event log, as stored and as sent. */
export interface TradeEvent extends EventRow, SubjectRow {
  readonly changed?: readonly string[];
  readonly complete?: boolean;
  readonly position?: PositionRow | null;
  readonly order?: OrderRow;
  readonly deal?: DealRow;
  readonly deals?: readonly DealRow[];
  readonly signal?: SignalEventRow;
}

/** An event before it has its number in the log. */
export type UnnumberedEvent = Omit<TradeEvent, 'seq'>;

export interface EventContext {
  readonly recordedAt: string;
  readonly login: number;
  readonly server: string;
}

export function tradeEvent(change: TradeChange, context: EventContext, serverTime: ServerTime): UnnumberedEvent {
  const { recordedAt: recorded_at, login, server } = context;
  const base = { event: change.event, action: change.action, recorded_at, login, server };
  switch (change.event) {
    case 'position': {
      const { ticket, symbol, magic, position, changed, complete, deals } = change;
      return {
        ...base,
        ticket,
        symbol,
        magic,
        ...(changed ? { changed } : {}),
        ...(complete === undefined ? {} : { complete }),
        position: position && positionRow(position, serverTime),
        ...(deals ? { deals: deals.map((deal) => dealRow(deal, serverTime)) } : {}),
      };
    }
    case 'order': {
      const { order, changed, complete } = change;
      const { ticket, symbol, magic } = order;
      return {
        ...base,
        ticket,
        symbol,
        magic,
        ...(changed ? { changed } : {}),
        ...(complete === undefined ? {} : { complete }),
        order: orderRow(order, serverTime),
      };
    }
    case 'deal': {
      const { ticket, symbol, magic } = change.deal;
      return { ...base, ticket, symbol, magic, deal: dealRow(change.deal, serverTime) };
    }
    case 'resync':
      return base;
  }
}

function positionRow(position: TradePosition, serverTime: ServerTime): PositionRow {
  return {
    ...position,
    type_str: orderTypeName(position.type),
    time_utc: serverTime.utcIsoMs(position.time_msc),
  };
}
