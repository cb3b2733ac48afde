import type { Clock } from '@libs/clock';
import {
  tradeOutcome,
  type GatewayClient,
  type OrderAnswer,
  type TradeOutcome,
  type UnknownOutcome,
} from '@libs/gateway-client';
import type { IntentRecord } from '../state/records';
import { traceOf } from './request-trace';

/** What is certain of a trade request in the end. */
export type Conclusion =
  | Exclude<TradeOutcome<OrderAnswer>, UnknownOutcome>
  /** Proven to have done nothing, or to be of no consequence; the reason says which. */
  | { readonly kind: 'absent'; readonly reason: string };

/** How long an entry may be sent again under its key: after that, its price and its reason are stale. */
const entryReplayMs = 10_000;
/** The least time for which a gateway remembers a key (IDEMPOTENCY_TTL_SECONDS): not knowing it proves nothing later. */
const rememberedMs = 60_000;
/** How long anything else may be sent again unasked: it has arrived, half a minute later, while its key is remembered. */
const exitReplayMs = 30_000;
/** Nothing is sent any more, under whatever key, for a reason as old as that. */
export const staleMs = 3_600_000;
/** How far the clock may have been set back since a request was written before its time says nothing any more. */
const setBackMs = 60_000;
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
  /** Whether it is wanted still: only then is it sent again, and otherwise its outcome found out. */
  readonly isStillWanted: () => boolean;
  /** Whether an order of this gateway is known to have come from another request. */
  readonly isKnown: (order: number) => boolean;
  /** There is nothing left by which it could be found out. */
  readonly onUnclear: (reason: string) => void;
  /** The daemon shuts down: there is little time to find out. */
  readonly isStopping: () => boolean;
  /** The time to find out is over. */
  readonly hasEnded: () => boolean;
}

/**
 * Finds out what became of a trade request: by sending the same request under the same key, by asking the gateway's
 * journal for the key, by looking for what it did at the broker. Never by a fresh key. Null when the daemon stops before
 * it is known, or it cannot be known; the intent stays open in the journal, and the next start goes on.
 */
export function conclude(intent: IntentRecord, options: LadderOptions): Promise<Conclusion | null> {
  return new UnknownLadder(intent, options).climb();
}

class UnknownLadder {
  /** When this began to find out, on a clock that nobody sets. */
  private readonly beganMs: number;
  /** How old the request was then; less than nothing when the clock was set back since it was written. */
  private readonly ageAtFirstMs: number;
  /** When it was last sent without an answer, on the same clock. */
  private sentMs: number;
  /** Why the last round could not tell whose work the broker shows. */
  private unclear: string | null = null;

  constructor(
    private readonly intent: IntentRecord,
    private readonly options: LadderOptions,
  ) {
    this.beganMs = options.clock.monotonicMs();
    this.ageAtFirstMs = options.clock.nowMs() - intent.createdAtMs;
    this.sentMs = this.beganMs - Math.max(0, this.ageAtFirstMs);
  }

  async climb(): Promise<Conclusion | null> {
    const { hasEnded, onStep, onUnclear } = this.options;
    for (let waitMs = firstWaitMs; !hasEnded(); waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      this.unclear = null;
      const found = (await this.sentAgain()) ?? (await this.askedFor());
      if (found) return found;
      // Rows and deals are shown at different times: what is unclear may be clear a moment later.
      if (this.unclear !== null && waitMs === longestWaitMs) {
        onUnclear(this.unclear);
        return null;
      }
      onStep(`the outcome of ${this.intent.key} is still unknown; asking again in ${waitMs} ms`);
      await pause(waitMs, this.options);
    }
    return null;
  }

  /** Of an age that cannot be told it counts as too old for anything. */
  private get ageMs(): number {
    if (this.ageAtFirstMs < 0) return Number.POSITIVE_INFINITY;
    return this.ageAtFirstMs + this.options.clock.monotonicMs() - this.beganMs;
  }

  private get mayBeInTransit(): boolean {
    return this.options.clock.monotonicMs() - this.sentMs < inTransitMs;
  }

  /** While every gateway still remembers the key: it answers from its journal, or carries it out for the first time. */
  private async sentAgain(): Promise<Conclusion | null> {
    const longestMs = this.intent.isEntry ? entryReplayMs : exitReplayMs;
    if (this.ageMs > longestMs || !this.options.isStillWanted()) return null;
    const outcome = await this.send();
    if (outcome.kind === 'done') return outcome;
    // Other refusals come from checks before the journal is asked, and prove nothing about the first sending.
    return outcome.kind === 'rejected' && outcome.errorType === 'broker_rejected' ? outcome : null;
  }

  private async send(): Promise<TradeOutcome<OrderAnswer>> {
    const { intent, options } = this;
    const atMs = options.clock.monotonicMs();
    const outcome = await options.client.send<OrderAnswer>(intent.call, intent.key);
    if (outcome.kind === 'unknown') this.sentMs = atMs;
    return outcome;
  }

  private async askedFor(): Promise<Conclusion | null> {
    try {
      const report = await this.options.client.reads.tradeRequest(this.intent.key);
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
          return outcome.kind === 'unknown' ? await this.lookedUp() : outcome;
        }
        case 'absent':
          return { kind: 'absent', reason: 'the gateway proved that it never reached the broker' };
        case 'void':
          return { kind: 'absent', reason: 'the key is void: it was never sent, and never will be' };
        case undefined:
          return (await this.lookedUp()) ?? (await this.notRemembered());
        case 'in_progress':
        case 'unknown':
          return await this.lookedUp();
      }
    } catch {
      // No answer says nothing; the next round asks again.
      return null;
    }
  }

  /** An entry that stands at the broker under its key has been done, whatever else is known of it. */
  private async lookedUp(): Promise<Conclusion | null> {
    if (!this.intent.isEntry) return null;
    const { positions, orders } = await this.options.client.reads.reconcile();
    const row = [...positions, ...orders].find(({ client_order_id }) => client_order_id === this.intent.key);
    return row ? done(row.ticket) : null;
  }

  /** The gateway does not know the key: it never did, or does not any more. Then the broker's books have to tell. */
  private async notRemembered(): Promise<Conclusion | null> {
    const { intent, options } = this;
    if (intent.isEntry && this.ageMs < rememberedMs) {
      return this.mayBeInTransit ? null : this.madeVoid('it never reached the gateway');
    }
    if (intent.isEntry && this.ageAtFirstMs < -setBackMs) {
      // The broker's books are searched by its time.
      this.unclear = 'the clock was set back since it was written';
      return null;
    }
    const trace = await traceOf(intent, options);
    if (trace.kind === 'done') return done(trace.order);
    if (trace.kind === 'unclear') {
      this.unclear = trace.reason;
      return null;
    }
    return (await this.sentAfterAll()) ?? (this.mayBeInTransit ? null : this.madeVoid(absence(trace.reason)));
  }

  /** That the gateway does not know a key proves nothing: only a void key keeps a request in transit from being sent. */
  private async madeVoid(reason: string): Promise<Conclusion | null> {
    const { status } = await this.options.client.voidTradeRequest(this.intent.key);
    return status === 'void' ? { kind: 'absent', reason } : null;
  }

  /** What reduces risk is still worth a try when neither gateway nor broker knows of it, unless it is old. */
  private async sentAfterAll(): Promise<Conclusion | null> {
    const isLate = this.ageMs > exitReplayMs && this.ageMs <= staleMs;
    if (this.intent.isEntry || !isLate || !this.options.isStillWanted()) return null;
    const { mayBeInTransit } = this;
    const outcome = await this.send();
    if (outcome.kind === 'done') return outcome;
    return outcome.kind === 'unknown' || mayBeInTransit ? null : outcome;
  }
}

function done(order: number | null): Conclusion {
  return { kind: 'done', status: 200, replayed: true, body: order === null ? {} : { result: { order } } };
}

function absence(reason: string): string {
  return `the gateway does not know it (any more), and ${reason}`;
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
