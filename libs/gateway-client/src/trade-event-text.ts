import { lotsText, moneyText, priceText, volumeText } from '@libs/records';
import type { DifferenceNotice, SignalEventRecord, StreamMessage, TradeEventRecord } from './stream-records';

type TerminalMessage = Extract<StreamMessage<never>, { readonly kind: 'terminal' }>;

/** Digits of the figures of an event; undefined while they are not known. */
export interface EventDigits {
  /** Of the prices of its symbol. */
  readonly price?: number | undefined;
  /** Of the account currency. */
  readonly money?: number | undefined;
}

/** A trade event in words, without its time and number: what happened, to what, at which prices, and for deals the result. */
export function tradeEventText(record: TradeEventRecord, digits: EventDigits = {}): string {
  const { event, action, symbol, ticket, magic, complete } = record;
  return [
    ...[`${event} ${action.replace('_', ' ')}`, symbol, `ticket ${ticket}`, `magic ${magic}`],
    ...subjectOf(record, digits),
    ...(complete === false ? ['the history does not show why'] : []),
  ].join('  ');
}

/** A change of an alert in words, without its time and number. */
export function signalEventText({ action, signal: { number, source, alert, reason } }: SignalEventRecord): string {
  const state = action.replaceAll('_', ' ');
  return [`signal ${state}`, `alert ${number} of ${source}: ${alert}`, ...(reason === null ? [] : [reason])].join('  ');
}

/** The state of the terminal's connection in words. */
export function connectionText({ connected, reason, message }: TerminalMessage): string {
  const state = connected ? 'the terminal is connected' : 'the terminal is not connected';
  if (reason === null) return state;
  return `${state}: ${reason}${message === null ? '' : `, ${message}`}`;
}

/** A difference between account and journal in words. */
export function differenceText({ action, message }: DifferenceNotice): string {
  return action === 'ended' ? `no longer: ${message}` : `difference: ${message}`;
}

function subjectOf({ action, deal, order, position, deals }: TradeEventRecord, digits: EventDigits): string[] {
  const closing = deals ?? [];
  const at = (price: number): string => priceText(price, digits.price);
  const money = (amount: number): string => moneyText(amount, digits.money);
  if (deal) return [`${lotsText(deal.volume)} at ${at(deal.price)}`, `profit ${money(deal.profit)}`];
  // The rest of a filled order is 0 lots, and the price of a market order is 0 until it is filled.
  if (order && action === 'closed') {
    const rest = order.volume_current === 0 ? 'all filled' : `${volumeText(order.volume_current)} of them not filled`;
    return [`${lotsText(order.volume_initial)}, ${rest}`];
  }
  if (order) return [`${lotsText(order.volume_current)}${order.price_open === 0 ? '' : ` at ${at(order.price_open)}`}`];
  return [
    ...(position ? [`${lotsText(position.volume)} from ${at(position.price_open)}`] : []),
    ...(closing.length === 0 ? [] : [`closed at ${closing.map(({ price }) => at(price)).join(', ')}`]),
    ...(closing.length === 0 ? [] : [`profit ${closing.map(({ profit }) => money(profit)).join(', ')}`]),
  ];
}
