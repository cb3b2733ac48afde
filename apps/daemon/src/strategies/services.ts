import type { Clock } from '@libs/clock';
import type { AccountMoney } from '../gateways/account-money';
import type { StrategySpec } from '../daemon-file/daemon-file';
import type { GatewaySession } from '../gateways/gateway-session';
import type { LatencyBook } from '../latency/latency-book';
import type { LogBook } from '../logs/log-book';
import type { MarketHub } from '../market-data/market-hub';
import type { StateStore } from '../state/state-store';
import type { AccountSync } from '../trading/account-sync';
import type { IdempotencyKeys } from '../trading/idempotency-keys';
import type { BundleCache } from './bundle-cache';
import type { Threads } from './threads';

/** One gateway with everything that is read of it once for all strategies. */
export interface GatewayServices {
  readonly session: GatewaySession;
  readonly sync: AccountSync;
  readonly hub: MarketHub;
  /** Whose its account's money is. */
  readonly money: AccountMoney;
}

/** What all strategies share. */
export interface Services {
  readonly clock: Clock;
  readonly store: StateStore;
  readonly logs: LogBook;
  readonly latency: LatencyBook;
  readonly keys: IdempotencyKeys;
  readonly threads: Threads;
  readonly bundles: BundleCache;
  /** @throws Error for a gateway that is not configured */
  gateway(name: string): GatewayServices;
  hasGateway(name: string): boolean;
  /** All that are configured. */
  gateways(): readonly GatewayServices[];
  /** Everything that is deployed, or is to be: on some accounts strategies get into each other's way. */
  specs(): readonly StrategySpec[];
  /** No new entries: what is on its way is still followed. */
  isStopping(): boolean;
  /** The time to follow it is over: the next start goes on. */
  hasEnded(): boolean;
}
