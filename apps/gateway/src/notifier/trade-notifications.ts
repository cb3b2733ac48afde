import { moneyText, priceText, volumeText } from '@libs/records';
import type { TradeEvent } from '../streams/trade-event';
import type { TradesRule } from './notifier-file';
import type { Notification } from './notification';

/** Whether a rule is about an event. A change of the account concerns every rule. */
export function isWanted(event: TradeEvent, rule: TradesRule): boolean {
  if (event.event === 'resync') return true;
  return (
    rule.events.includes(event.event) &&
    rule.actions.includes(event.action) &&
    (rule.symbols.length === 0 || rule.symbols.includes(event.symbol ?? '')) &&
    (rule.magics.length === 0 || rule.magics.includes(event.magic ?? 0))
  );
}

/** Digits of the figures in a message; undefined while they are not known. */
export interface ShownDigits {
  /** Of a symbol's prices. */
  readonly of: (symbol: string) => number | undefined;
  /** Of the account currency. */
  readonly money: number | undefined;
}

/** The message of an event. Its id has the number of the event, which no other event of the account has. */
export function tradeNotification(event: TradeEvent, digits: ShownDigits): Notification {
  return {
    id: `trade-${event.login}-${event.seq}`,
    type: 'trade',
    state: null,
    at: event.recorded_at,
    account: event.login,
    text: textOf(event, digits),
    data: event,
  };
}

function textOf(event: TradeEvent, digits: ShownDigits): string {
  if (event.action === 'account_accepted')
    return 'an operator accepted the account as the terminal shows it: read it again';
  if (event.event === 'resync') return 'the account has changed: earlier events belong to another one';
  if (event.signal) {
    const { number, source, alert, reason } = event.signal;
    const state = event.action.replace('_', ' ');
    return `signal ${number} of ${source} ${state}: ${alert}${reason === null ? '' : `: ${reason}`}`;
  }
  const what = `${event.event} ${event.ticket} ${event.action.replace('_', ' ')}`;
  const facts = [subjectOf(event, digits), event.complete === false ? 'incomplete' : '', magicOf(event)];
  return `${what}: ${facts.filter((part) => part !== '').join(', ')}`;
}

function magicOf({ magic }: TradeEvent): string {
  return magic === undefined || magic === 0 ? '' : `magic ${magic}`;
}

/** Volumes in lots, prices absolute, money in the account currency. */
function subjectOf(event: TradeEvent, digits: ShownDigits): string {
  const { position, order, deal, deals, symbol = '', changed } = event;
  const priceOf = (price: number): string => priceText(price, digits.of(symbol));
  const moneyOf = (amount: number): string => moneyText(amount, digits.money);
  if (deal) {
    const isFree = deal.commission === 0 && deal.swap === 0 && deal.fee === 0;
    if (deal.symbol === '') return `${deal.type_str} ${moneyOf(deal.profit)}`;
    return `${deal.type_str} ${deal.entry_str} ${volumeText(deal.volume)} ${deal.symbol} at ${priceOf(deal.price)}, profit ${moneyOf(deal.profit)}${isFree ? '' : costsOf(deal, moneyOf)}`;
  }
  if (order)
    return `${order.type_str} ${volumeText(order.volume_initial)} ${order.symbol}, ${order.state_str}${changes(changed)}`;
  const by = deals && deals.length > 0 ? `, by deals ${deals.map(({ ticket }) => ticket).join(', ')}` : '';
  // It opened and closed between two reads of the account.
  if (!position) return `${symbol}${by}`;
  return `${position.type_str} ${volumeText(position.volume)} ${position.symbol} from ${priceOf(position.price_open)}${changes(changed)}${by}`;
}

function costsOf(
  { commission, swap, fee }: { commission: number; swap: number; fee: number },
  moneyOf: (amount: number) => string,
): string {
  return `, commission ${moneyOf(commission)}, swap ${moneyOf(swap)}, fee ${moneyOf(fee)}`;
}

function changes(changed: readonly string[] | undefined): string {
  return changed ? `, changed ${changed.join(', ')}` : '';
}
