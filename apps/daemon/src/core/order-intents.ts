import type { DealRecord } from '@libs/gateway-client';
import { DealEntry, TradeReason } from '@libs/trade-constants';
import { ticketKey } from './ledger';
import type { IntentRecord } from './records';
import { isClose } from './plan';

/** Orders whose intent is kept after they left the books: their deals arrive soon after. */
const mostRemembered = 1_000;

/** Maps orders to the intents that created them, as long as deals of them may arrive. */
export class OrderIntents {
  private readonly byOrder: Map<string, string>;
  /** The orders from {@link first} on, oldest first. A map alone would visit its deleted keys whenever its first one is read. */
  private orders: string[];
  private first = 0;

  /** @param known {@link all} of another one */
  constructor(known: readonly (readonly [order: string, intentId: string])[] = []) {
    this.byOrder = new Map(known);
    this.orders = [...this.byOrder.keys()];
  }

  /** Orders with their intents, the oldest first. */
  get all(): readonly (readonly [order: string, intentId: string])[] {
    return [...this.byOrder];
  }

  add(broker: string, order: number, intentId: string): void {
    const key = ticketKey(broker, order);
    if (!this.byOrder.has(key)) this.orders.push(key);
    this.byOrder.set(key, intentId);
    if (this.byOrder.size > mostRemembered) this.forgetOldest();
  }

  private forgetOldest(): void {
    const oldest = this.orders[this.first++];
    if (oldest !== undefined) this.byOrder.delete(oldest);
    if (this.first < mostRemembered) return;
    this.orders = this.orders.slice(this.first);
    this.first = 0;
  }

  /** Whether an order was created by another intent. */
  isOfAnother(broker: string, order: number, intentId: string): boolean {
    const known = this.byOrder.get(ticketKey(broker, order));
    return known !== undefined && known !== intentId;
  }

  /** The intent that caused a deal; null if it is unknown. */
  of(broker: string, deal: DealRecord, inFlight: readonly IntentRecord[]): string | null {
    return intentOfDeal(broker, deal, this.byOrder.get(ticketKey(broker, deal.order)), inFlight);
  }
}

/**
 * The intent that caused a deal; null if it is unknown. A closing deal may appear before the answer to its request: then
 * it is the deal of the close in flight, if a program made it.
 * @param known the intent of the deal's order; undefined if it is unknown
 */
export function intentOfDeal(
  broker: string,
  deal: Pick<DealRecord, 'entry' | 'reason' | 'position_id'>,
  known: string | undefined,
  inFlight: readonly IntentRecord[],
): string | null {
  if (known !== undefined) return known;
  if (deal.entry === DealEntry.IN || deal.reason !== TradeReason.EXPERT) return null;
  const acting = inFlight.find((record) => record.broker === broker && record.ticket === deal.position_id);
  return acting && isClose(acting) ? acting.intentId : null;
}
