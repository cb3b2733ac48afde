import type { Clock, Timer } from '@libs/clock';
import type { ClientEdge } from '@libs/gateway-client';
import type { Logger } from 'pino';
import type { Configured, GatewaySpec } from '../daemon-file/daemon-file';
import { MarketHub } from '../market-data/market-hub';
import type { DaemonState } from '../state/state-store';
import type { GatewayServices } from '../strategies/services';
import { AccountSync } from '../live/account-sync';
import { gatewayOf } from '../live/surroundings';
import { AccountMoney } from '../live/account-money';
import type { Deployed } from '../live/account-report';
import { GatewaySession } from '../gateways/gateway-session';

interface GatewaysOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: DaemonState;
  readonly deployed: Deployed;
  readonly keys: Pick<Configured, 'apiKey'>;
  /** How the gateways are reached; by the network of this machine if absent. */
  readonly network?: ClientEdge;
}

/** The gateways the daemon trades through, by the names the configuration gives them. */
export class Gateways {
  private readonly known = new Map<string, GatewayServices>();
  private readonly timers = new Map<string, Timer>();
  private isWatching = false;

  constructor(private readonly options: GatewaysOptions) {}

  /** By their names; changes with the configuration. */
  get byName(): ReadonlyMap<string, GatewayServices> {
    return this.known;
  }

  get all(): readonly GatewayServices[] {
    return [...this.known.values()];
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  /** @throws Error for a gateway that is not configured */
  get(name: string): GatewayServices {
    return gatewayOf(this.known, name);
  }

  /** @throws Error when its key cannot be read */
  add(spec: GatewaySpec): GatewayServices {
    const { clock, logger, store, deployed, keys, network } = this.options;
    const session = new GatewaySession(spec, keys.apiKey(spec.apiKeyEnv), network);
    const sync = new AccountSync(session, store, clock);
    const hub = new MarketHub(session, sync, clock, logger);
    const money = new AccountMoney({ session, sync, store, clock, deployed, gateways: this.known });
    const services = { session, sync, hub, money };
    this.known.set(spec.name, services);
    if (this.isWatching) this.watch(services);
    return services;
  }

  remove(name: string): void {
    this.timers.get(name)?.cancel();
    this.timers.delete(name);
    this.known.get(name)?.hub.stop();
    this.known.delete(name);
  }

  /** Reads a gateway's account once; an unreachable gateway is retried with its strategies. */
  async verify({ session }: GatewayServices): Promise<void> {
    const { logger } = this.options;
    try {
      const { login, server } = await session.verify();
      logger.info({ gateway: session.name, login, server }, 'gateway verified');
    } catch (error) {
      logger.error({ gateway: session.name, problem: String(error) }, 'gateway verification failed');
    }
  }

  async verifyAll(): Promise<void> {
    await Promise.all(this.all.map((gateway) => this.verify(gateway)));
  }

  /** Starts the periodic account snapshots. */
  watchAll(): void {
    this.isWatching = true;
    for (const gateway of this.all) this.watch(gateway);
  }

  stop(): void {
    this.isWatching = false;
    for (const timer of this.timers.values()) timer.cancel();
    for (const { hub } of this.all) hub.stop();
  }

  private watch({ session, sync, money }: GatewayServices): void {
    const { clock, logger } = this.options;
    const rounds = new AccountRounds(clock, { look: () => money.look(), ageMs: () => sync.ageMs });
    let wasReachable = session.reachable;
    let wasWaiting = false;
    const look = (): void => {
      const { state, reason } = session.accountState;
      if ((state === 'synchronizing') !== wasWaiting) {
        wasWaiting = !wasWaiting;
        if (wasWaiting) logger.warn({ gateway: session.name, problem: reason }, 'entries wait for the account');
        else logger.info({ gateway: session.name }, 'entries no longer wait for the account');
      }
      if (session.reachable !== wasReachable) {
        wasReachable = session.reachable;
        if (wasReachable) logger.info({ gateway: session.name }, 'the gateway answers again');
        else logger.warn({ gateway: session.name, problem: session.lastError }, 'the gateway does not answer');
      }
      rounds.next().catch((error: unknown) => logger.error({ err: error }, 'an account snapshot failed'));
    };
    this.timers.set(session.name, clock.every(AccountRounds.everyMs, look));
  }
}

/** A look, which is several reads, that takes longer shows a slow terminal, and not only a busy machine. */
const slowMs = 600;
/** After a slow look, this many times as long as it took are left to the other calls of the terminal. */
const restsPerRead = 3;
const longestRestMs = 4_000;
/** Age of the snapshot at which the rests end: entries stop when it is twice as old. */
const oldestMs = 5_000;

export interface ReadAccount {
  /** Reads the account for all that depends on it. */
  look(): Promise<void>;
  /** Age of the last snapshot in milliseconds, from its begin; null before the first. */
  ageMs(): number | null;
}

/** When an account is read if nothing else requires it: every second, and less often while that takes long. */
export class AccountRounds {
  /** How often {@link next} is called, in milliseconds. */
  static readonly everyMs = 1_000;
  private running = 0;
  private restUntilMs = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly account: ReadAccount,
  ) {}

  /** Reads the account, unless that can wait. Rejects with what the read does. */
  async next(): Promise<void> {
    const beganMs = this.clock.monotonicMs();
    if (this.mayWait(beganMs)) return;
    this.running++;
    try {
      await this.account.look();
    } finally {
      this.running--;
      const nowMs = this.clock.monotonicMs();
      const tookMs = nowMs - beganMs;
      this.restUntilMs = tookMs < slowMs ? nowMs : nowMs + Math.min(longestRestMs, restsPerRead * tookMs);
    }
  }

  private mayWait(nowMs: number): boolean {
    const ageMs = this.account.ageMs();
    if (ageMs === null || ageMs > oldestMs) return false;
    return this.running > 0 || nowMs < this.restUntilMs;
  }
}
