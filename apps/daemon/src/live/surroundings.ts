import type { Clock } from '@libs/clock';
import type { Spans } from '@libs/tracing';
import type { LatencyBook } from '../latency/latency-book';
import type { StrategyLog } from '../logs/strategy-log';
import type { StrategyLease } from '../leases/unit-lease';
import type { Shutdown } from '../shutdown';
import type { StrategyState } from '../state/state-store';
import type { GatewaySession } from '../gateways/gateway-session';
import type { AccountSync } from './account-sync';

/** What the order desk works with. */
export interface DeskSurroundings {
  readonly clock: Clock;
  readonly keys: IdempotencyKeys;
  readonly latency: LatencyBook;
  readonly log: StrategyLog;
  /** Where the spans of decisions and sends go. */
  readonly spans: Spans;
  readonly gateways: TradedGateways;
  readonly store: StrategyState;
  readonly shutdown: Shutdown;
  /** The lease that its requests are sent under; null without leases. */
  readonly lease: StrategyLease | null;
}

/**
 * When the event that led to an intent was received, and when the strategy had decided; monotonic nanoseconds. Null: the
 * latency from then on is not measured.
 */
export interface Origin {
  readonly receivedNanos: number | null;
  readonly decidedNanos: number | null;
}

/** Of a request that continues in the background, as the retry of a refused exit does. */
export const noOrigin: Origin = { receivedNanos: null, decidedNanos: null };

/** A gateway that a strategy trades through. */
export interface TradedGateway {
  readonly session: GatewaySession;
  readonly sync: AccountSync;
}

/** The configured gateways by name. */
type TradedGateways = ReadonlyMap<string, TradedGateway>;

/** A gateway by its name. @throws Error if it is not configured */
export function gatewayOf<Gateway>(gateways: ReadonlyMap<string, Gateway>, name: string): Gateway {
  const gateway = gateways.get(name);
  if (!gateway) throw new Error(`gateway ${name} is not configured`);
  return gateway;
}

/** Idempotency keys that are unique over all starts of all daemons: a random prefix, then a count. */
export class IdempotencyKeys {
  private count = 0;
  private deployments = 0;

  /** @param session names this start of the daemon */
  constructor(readonly session: string) {}

  next(): string {
    return `d${this.session}-${++this.count}`;
  }

  /** What the ids of the intents of one deployment begin with: unlike those of every other deployment of any strategy. */
  nextIntentPrefix(): string {
    return `${this.session}-${++this.deployments}.`;
  }
}
