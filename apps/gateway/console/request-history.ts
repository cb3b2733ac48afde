import type { GatewayClient, KeyedAudit, TradeRequestReport, UnresolvedRequest } from '@libs/gateway-client';

/** All that the gateway has of one request. */
export interface RequestHistory {
  /** What the journal has; null if it has nothing under the key. */
  readonly report: TradeRequestReport | null;
  /** Its sends of unknown outcome; undefined if it has none. */
  readonly unresolved: UnresolvedRequest | undefined;
  readonly audit: KeyedAudit;
}

/** @throws GatewayReadError if a part of it cannot be read: a history without that part would be untrue */
export async function readRequestHistory({ reads }: GatewayClient, key: string): Promise<RequestHistory> {
  const [report, audit] = await Promise.all([reads.tradeRequest(key), reads.auditLines(key)]);
  const isUnknown = report?.status === 'unknown';
  const open = isUnknown ? (await reads.reconcile()).unresolved : [];
  return { report, audit, unresolved: open.find(({ client_order_id: id }) => id === key) };
}
