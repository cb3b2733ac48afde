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

/** The message of an event. Its id has the number of the event, which no other event of the account has. */
export function tradeNotification(event: TradeEvent): Notification {
  return {
    ...{ id: `trade-${event.login}-${event.seq}`, type: 'trade', state: null, at: event.recorded_at },
    ...{ account: event.login, text: textOf(event), data: event },
  };
}

function textOf(event: TradeEvent): string {
  if (event.action === 'account_accepted')
    return 'an operator accepted the account as the terminal shows it: read it again';
  if (event.event === 'resync') return 'the account has changed: earlier events belong to another one';
  const what = `${event.event} ${event.ticket} ${event.action.replace('_', ' ')}`;
  const facts = [subjectOf(event), event.complete === false ? 'incomplete' : '', magicOf(event)];
  return `${what}: ${facts.filter((part) => part !== '').join(', ')}`;
}

function magicOf({ magic }: TradeEvent): string {
  return magic === undefined || magic === 0 ? '' : `magic ${magic}`;
}

/** Volumes in lots, prices absolute, money in the account currency, each as the terminal has it. */
function subjectOf(event: TradeEvent): string {
  const { position, order, deal, deals, symbol = '', changed } = event;
  if (deal) {
    const isFree = deal.commission === 0 && deal.swap === 0 && deal.fee === 0;
    if (deal.symbol === '') return `${deal.type_str} ${deal.profit}`;
    return `${deal.type_str} ${deal.entry_str} ${deal.volume} ${deal.symbol} at ${deal.price}, profit ${deal.profit}${isFree ? '' : costsOf(deal)}`;
  }
  if (order) return `${order.type_str} ${order.volume_initial} ${order.symbol}, ${order.state_str}${changes(changed)}`;
  const by = deals && deals.length > 0 ? `, by deals ${deals.map(({ ticket }) => ticket).join(', ')}` : '';
  // It opened and closed between two reads of the account.
  if (!position) return `${symbol}${by}`;
  return `${position.type_str} ${position.volume} ${position.symbol} from ${position.price_open}${changes(changed)}${by}`;
}

function costsOf({ commission, swap, fee }: { commission: number; swap: number; fee: number }): string {
  return `, commission ${commission}, swap ${swap}, fee ${fee}`;
}

function changes(changed: readonly string[] | undefined): string {
  return changed ? `, changed ${changed.join(', ')}` : '';
}
