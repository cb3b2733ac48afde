import type { Clock } from '@libs/clock';
import {
  tradeOutcome,
  type GatewayClient,
  type OrderAnswer,
  type TradeOutcome,
  type UnknownOutcome,
} from '@libs/gateway-client';
import type { IntentRecord } from '../state/records';

/** What is certain of a trade request in the end. */
export type Conclusion =
  | Exclude<TradeOutcome<OrderAnswer>, UnknownOutcome>
  /** Proven never to have reached the broker. */
  | { readonly kind: 'absent'; readonly reason: string };

/** How long an entry may be sent again under its key: after that, its price and its reason are stale. */
const entryReplayMs = 10_000;
/** How long a request may still be on its way to a gateway that says it never came. */
const inTransitMs = 40_000;
const firstWaitMs = 200;
const longestWaitMs = 10_000;
/** Longest wait during a shutdown. */
const hurriedWaitMs = 250;

export interface LadderOptions {
  readonly client: GatewayClient;
  readonly clock: Clock;
  readonly onStep: (text: string) => void;
  /** The daemon shuts down: nothing is entered any more, and there is little time to find out. */
  readonly isStopping: () => boolean;
  /** The time to find out is over. */
  readonly hasEnded: () => boolean;
}

/**
 * Finds out what became of a trade request: by sending the same request under the same key, by asking the gateway's
 * journal for the key, by looking for it at the broker. Never by a fresh key. Null when the daemon stops before it is
 * known; the intent stays open in the journal, and the next start goes on.
 */
export async function conclude(intent: IntentRecord, options: LadderOptions): Promise<Conclusion | null> {
  const { hasEnded, onStep } = options;
  let waitMs = firstWaitMs;
  while (!hasEnded()) {
    const found = (await replayed(intent, options)) ?? (await askedFor(intent, options));
    if (found) return found;
    onStep(`the outcome of ${intent.key} is still unknown; asking again in ${waitMs} ms`);
    await pause(waitMs, options);
    waitMs = Math.min(longestWaitMs, waitMs * 2);
  }
  return null;
}

/** Waits in slices: a shutdown does not sleep through the rest of a long wait. */
async function pause(ms: number, { clock, isStopping, hasEnded }: LadderOptions): Promise<void> {
  const sinceMs = clock.monotonicMs();
  for (;;) {
    const lastsMs = isStopping() ? Math.min(ms, hurriedWaitMs) : ms;
    const leftMs = sinceMs + lastsMs - clock.monotonicMs();
    if (leftMs <= 0 || hasEnded()) return;
    await clock.sleep(Math.min(leftMs, hurriedWaitMs));
  }
}

/** The same request under the same key: the gateway answers from its journal, or carries it out for the first time. */
async function replayed(intent: IntentRecord, options: LadderOptions): Promise<Conclusion | null> {
  const { client, clock, isStopping } = options;
  const ageMs = clock.nowMs() - intent.createdAtMs;
  // Sent again, an entry that never arrived would be made now: not when it has aged, and not while the daemon ends.
  if (intent.isEntry && (ageMs > entryReplayMs || isStopping())) return null;
  const outcome = await client.send<OrderAnswer>(intent.call, intent.key);
  if (outcome.kind === 'done') return outcome;
  // Other refusals come from checks before the journal is asked, and prove nothing about the first sending.
  if (outcome.kind === 'rejected' && outcome.errorType === 'broker_rejected') return outcome;
  return null;
}

async function askedFor(intent: IntentRecord, { client, clock }: LadderOptions): Promise<Conclusion | null> {
  try {
    const report = await client.reads.tradeRequest(intent.key);
    switch (report?.status) {
      case 'completed':
      case 'recovered': {
        const outcome = tradeOutcome<OrderAnswer>({
          kind: 'answered',
          status: report.response_status ?? 0,
          body: report.response,
          replayed: true,
          retryAfterMs: null,
        });
        return outcome.kind === 'unknown' ? await lookedUp(intent, client) : outcome;
      }
      case 'absent':
        return { kind: 'absent', reason: 'the gateway proved that it never reached the broker' };
      case undefined: {
        const ageMs = clock.nowMs() - intent.createdAtMs;
        const found = await lookedUp(intent, client);
        if (found || ageMs < inTransitMs) return found;
        return { kind: 'absent', reason: 'it never reached the gateway' };
      }
      case 'in_progress':
      case 'unknown':
        return await lookedUp(intent, client);
    }
  } catch {
    // No answer says nothing; the next round asks again.
    return null;
  }
}

/** An entry that stands at the broker under its key has been done, whatever else is known of it. */
async function lookedUp(intent: IntentRecord, client: GatewayClient): Promise<Conclusion | null> {
  if (!intent.isEntry) return null;
  const { positions, orders } = await client.reads.reconcile();
  const row = [...positions, ...orders].find(({ client_order_id }) => client_order_id === intent.key);
  return row ? { kind: 'done', status: 200, replayed: true, body: { result: { order: row.ticket } } } : null;
}
