import { PositionType, type TradePosition } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import type { TradeJournal } from '../trade-journal/trade-journal';
import type { PositionRow } from './positions.response';

/** Positions as the API gives them: the terminal's record, with its time in UTC and the key it came from. */
export function positionRow(position: TradePosition, serverTime: ServerTime, journal: TradeJournal): PositionRow {
  return {
    ...position,
    type_str: position.type === PositionType.BUY ? 'BUY' : 'SELL',
    time_utc: serverTime.utcIsoMs(position.time_msc),
    client_order_id: journal.clientOrderIdOf(position.ticket) ?? journal.clientOrderIdOf(position.identifier),
  };
}
