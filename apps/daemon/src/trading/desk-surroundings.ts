import type { Clock } from '@libs/clock';
import type { GatewayClient } from '@libs/gateway-client';
import type { Reject, Stream } from '@libs/strategy';
import type { LatencyBook } from '../latency/latency-book';
import type { StrategyLog } from '../logs/strategy-log';
import type { OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import type { IdempotencyKeys } from './idempotency-keys';

/** What the desk needs of the world around it. */
export interface DeskSurroundings {
  readonly clock: Clock;
  readonly keys: IdempotencyKeys;
  readonly latency: LatencyBook;
  readonly log: StrategyLog;
  hasGateway(broker: string): boolean;
  /** @throws Error for a gateway that is not configured */
  clientOf(broker: string): GatewayClient;
  /** What is remembered of a ticket, open or closed, whosever it is; null when nothing is. */
  ticketOf(broker: string, ticket: number): OwnedTicket | null;
  /** Looks at the account behind a gateway. */
  look(broker: string): Promise<void>;
  /** Takes over a change and makes it durable; false when it is not durable. */
  commit(change: Change): Promise<boolean>;
  /** Why an entry may not be; null when it may. */
  denied(stream: Stream, volume: number, unresolved: number): string | null;
  onReject(reject: Reject): void;
  onDone(done: { readonly intentId: string; readonly key: string; readonly ticket: number | null }): void;
  /** No new entries; what is on its way is found out the sooner. */
  isStopping(): boolean;
  /** The time to find out is over. */
  hasEnded(): boolean;
}

/** When the event that led to an intent was received, and when the strategy had decided; monotonic nanoseconds. */
export interface Origin {
  readonly receivedNanos: number | null;
  readonly decidedNanos: number;
}
