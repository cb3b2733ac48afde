import { PositionType, type TradePosition } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import type { TradeJournal } from '../trade-journal/trade-journal';
import type { PositionRow } from './positions.response';

/** Positions in the form of the API: the terminal's record, with times in UTC and the key of the request. */
export function positionRow(position: TradePosition, serverTime: ServerTime, journal: TradeJournal): PositionRow {
  return {
    ...position,
    type_str: position.type === PositionType.BUY ? 'BUY' : 'SELL',
    time_utc: serverTime.utcIsoMs(position.time_msc),
    client_order_id: journal.clientOrderIdOf(position.ticket) ?? journal.clientOrderIdOf(position.identifier),
  };
}
