import type { Clock } from '@libs/clock';
import type { Spans } from '@libs/tracing';
import type { CoreRecordings } from '../core/core-recording';
import type { AccountMoney } from '../live/account-money';
import type { StrategySpec } from '../core/strategy-spec';
import type { GatewaySession } from '../gateways/gateway-session';
import type { LatencyBook } from '../latency/latency-book';
import type { LogBook } from '../logs/log-book';
import type { MarketHub } from '../market-data/market-hub';
import type { StrategyLease } from '../leases/unit-lease';
import type { Shutdown } from '../shutdown';
import type { Slots } from '../slots';
import type { StrategyState } from '../state/state-store';
import type { AccountSync } from '../live/account-sync';
import type { IdempotencyKeys } from '../live/surroundings';
import type { BundleCache } from './bundle-cache';
import type { Threads } from './threads';

/** One gateway, and its data that all strategies share. */
export interface GatewayServices {
  readonly session: GatewaySession;
  readonly sync: AccountSync;
  readonly hub: MarketHub;
  /** Attribution of the account's money. */
  readonly money: AccountMoney;
}

/** What all strategies share. */
export interface Services {
  readonly clock: Clock;
  readonly store: StrategyState;
  readonly logs: LogBook;
  readonly latency: LatencyBook;
  readonly spans: Spans;
  readonly keys: IdempotencyKeys;
  readonly threads: Threads;
  /** Of the strategies that load at a time when they start: a thread takes processor time until it runs. */
  readonly loads: Slots;
  readonly bundles: BundleCache;
  /** How long the bars of one instant wait for those of other streams, in milliseconds. */
  readonly barWaitMs: number;
  /** Those that are configured, by name. */
  readonly gateways: ReadonlyMap<string, GatewayServices>;
  /** Of the daemon, or of the unit that the strategy belongs to. */
  readonly shutdown: Shutdown;
  /** The lease that the strategy runs under; null without leases. */
  readonly lease: StrategyLease | null;
  /** Recordings of what the cores of the strategies handle; null: nothing is recorded. */
  readonly recordings: CoreRecordings | null;
  /** All strategies that are deployed or will be: on a netting account, strategies share positions. */
  specs(): readonly StrategySpec[];
}
