import type { DealRecord } from '@libs/gateway-client';
import { DealEntry, TradeReason } from '@libs/trade-constants';
import type { IntentRecord } from './records';
import { isClose } from './plan';

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
