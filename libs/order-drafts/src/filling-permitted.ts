import { fillingName, fillingNames, requestableFillings } from './fillings';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused, type OrderRefusal } from './refusal';

/** A requested filling must be one that the symbol supports. */
export function fillingPermitted(
  order: Pick<ProposedOrder, 'type' | 'filling'>,
  { info }: Market,
): OrderRefusal | null {
  if (order.filling === null) return null;
  if (requestableFillings(order.type, info).includes(order.filling)) return null;
  const names = fillingNames(order.type, info);
  return fieldRefused('type_filling', `must be one of ${names.join(', ')} here`, names, fillingName(order.filling));
}
