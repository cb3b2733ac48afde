import type { TradeEventRecord } from './stream-records';

/** A trade event in words, without its time and number: what happened, to what, and for deals the result. */
export function tradeEventText({ event, action, symbol, ticket, magic, ...rest }: TradeEventRecord): string {
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
