import type { DealRecord } from '@libs/gateway-client';
import type { IntentRecord } from '../state/records';
import { isClose } from './plan';
import { ticketKey } from './ticket-key';

/** Orders whose intent is remembered beyond the books, which know the open ones: the deals of an order come soon. */
const mostRemembered = 1_000;
/** `reason` of a deal that a program asked for (docs: ENUM_DEAL_REASON). */
const byExpert = 3;

/** Which intent an order came from, as long as deals of it may show up. */
export class OrderIntents {
  private readonly byOrder = new Map<string, string>();

  add(broker: string, order: number, intentId: string): void {
    this.byOrder.set(ticketKey(broker, order), intentId);
    const [oldest] = this.byOrder.keys();
    if (this.byOrder.size > mostRemembered && oldest !== undefined) this.byOrder.delete(oldest);
  }

  /** Whether an order is the work of another intent. */
  isOfAnother(broker: string, order: number, intentId: string): boolean {
    const known = this.byOrder.get(ticketKey(broker, order));
    return known !== undefined && known !== intentId;
  }

  /** The intent that a deal answers; one that closes may be seen before the answer to its request. */
  of(broker: string, deal: DealRecord, onTheWay: readonly IntentRecord[]): string | null {
    const known = this.byOrder.get(ticketKey(broker, deal.order));
    if (known !== undefined || deal.entry === 0 || deal.reason !== byExpert) return known ?? null;
    const closing = onTheWay.find((record) => record.broker === broker && record.ticket === deal.position_id);
    return closing && isClose(closing) ? closing.intentId : null;
  }
}
