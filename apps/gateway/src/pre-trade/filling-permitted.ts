import type { ApiError } from '@libs/envelope';
import { OrderFilling } from '@libs/terminal-client';
import { permittedFillings } from './fillings';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused } from './refusal';

/** A filling that the client asked for must be one the symbol takes (mt5-facts §8). */
export function fillingPermitted(order: ProposedOrder, { info }: Market): ApiError | null {
  if (order.filling === null) return null;
  const permitted = permittedFillings(order.type, info);
  if (permitted.includes(order.filling)) return null;
  const names = permitted.map(nameOf);
  return fieldRefused('type_filling', `must be one of ${names.join(', ')} here`, names, nameOf(order.filling));
}

function nameOf(filling: OrderFilling): string {
  return Object.entries(OrderFilling).find(([, value]) => value === filling)?.[0] ?? String(filling);
}
