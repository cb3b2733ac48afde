import type { TradeEventRecord } from '@libs/gateway-client';

/** A trade event in words, as `gateway watch` prints it, without its time and number. */
export function eventText({ event, action, symbol, ticket, magic, ...rest }: TradeEventRecord): string {
  const { deal, order, position, complete } = rest;
  const [volume, price] =
    event === 'deal'
      ? [deal?.volume, deal?.price]
      : event === 'order'
        ? [order?.volume_current, order?.price_open]
        : [position?.volume, position?.price_open];
  return [
    ...[`${event} ${action.replace('_', ' ')}`, symbol, `ticket ${ticket}`, `magic ${magic}`],
    ...(volume === undefined ? [] : [`${volume} lots at ${price}`]),
    ...(deal === undefined ? [] : [`profit ${deal.profit}`]),
    ...(complete === false ? ['the history does not show why'] : []),
  ].join('  ');
}
