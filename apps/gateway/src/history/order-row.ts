import type { orderRowFields, RecordOf } from '@libs/records';
import { OrderState, orderTypeName, type TradeOrder } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';

const stateNames = new Map<number, string>(Object.entries(OrderState).map(([name, value]) => [value, name]));

/** An order with its main times in UTC (null if unset or while no offset is known) and its enumerations as names. */
export type OrderRow = Readonly<RecordOf<typeof orderRowFields>>;

export function orderRow(order: TradeOrder, serverTime: ServerTime): OrderRow {
  return {
    ...order,
    type_str: orderTypeName(order.type),
    state_str: stateNames.get(order.state) ?? `UNKNOWN_${order.state}`,
    time_setup_utc: serverTime.utcIsoMs(order.time_setup_msc),
    time_done_utc: serverTime.utcIsoMs(order.time_done_msc),
    time_expiration_utc: serverTime.utcIso(order.time_expiration),
  };
}
