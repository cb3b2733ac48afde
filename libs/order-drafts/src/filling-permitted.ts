import { OrderFilling } from '@libs/terminal-client';
import { permittedFillings } from './fillings';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused, type OrderRefusal } from './refusal';

/** A requested filling must be one that the symbol supports. */
export function fillingPermitted(order: ProposedOrder, { info }: Market): OrderRefusal | null {
  if (order.filling === null) return null;
  const permitted = permittedFillings(order.type, info);
  if (permitted.includes(order.filling)) return null;
  const names = permitted.map(nameOf);
  return fieldRefused('type_filling', `must be one of ${names.join(', ')} here`, names, nameOf(order.filling));
}

function nameOf(filling: OrderFilling): string {
  return Object.entries(OrderFilling).find(([, value]) => value === filling)?.[0] ?? String(filling);
}
