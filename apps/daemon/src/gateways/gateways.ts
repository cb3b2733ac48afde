import type { Clock, Timer } from '@libs/clock';
import type { Logger } from 'pino';
import type { GatewaySpec } from '../daemon-file/daemon-file';
import { MarketHub } from '../market-data/market-hub';
import type { StateStore } from '../state/state-store';
import type { GatewayServices } from '../strategies/services';
import { AccountSync } from '../trading/account-sync';
import { AccountMoney } from './account-money';
import type { Member } from './account-report';
import { GatewaySession } from './gateway-session';

export interface GatewaysOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: StateStore;
  /** The deployed strategies. */
  readonly members: () => readonly Member[];
  /** Reads the key a gateway's `apiKeyEnv` names. @throws Error naming the variable, never the value */
  readonly apiKey: (variable: string) => string;
}

/** How often an account is looked at when nothing else calls for it. */
const lookEveryMs = 1_000;

/** The gateways the daemon trades through, by the names the configuration gives them. */
export class Gateways {
  private readonly known = new Map<string, GatewayServices>();
  private readonly timers = new Map<string, Timer>();
  private isWatching = false;

  constructor(private readonly options: GatewaysOptions) {}

  get all(): readonly GatewayServices[] {
    return [...this.known.values()];
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  /** @throws Error for a gateway that is not configured */
  get(name: string): GatewayServices {
    const found = this.known.get(name);
    if (!found) throw new Error(`gateway ${name} is not configured`);
    return found;
  }

  /** @throws Error when its key cannot be read */
  add(spec: GatewaySpec): GatewayServices {
    const { clock, logger, store, members, apiKey } = this.options;
    const session = new GatewaySession(spec, apiKey(spec.apiKeyEnv));
    const sync = new AccountSync(session, store, clock);
    const hub = new MarketHub(session, sync, clock, (text) => logger.warn(text));
    const names = (): readonly string[] => [...this.known.keys()];
    const money = new AccountMoney({ session, sync, store, clock, members, gateways: names });
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

  /** Looks at a gateway's account once; one that is away is tried again with its strategies. */
  async verify({ session }: GatewayServices): Promise<void> {
    const { logger } = this.options;
    try {
      const { login, server } = await session.verify();
      logger.info({ gateway: session.name, login, server }, 'gateway verified');
    } catch (error) {
      logger.error({ gateway: session.name, problem: String(error) }, 'gateway not verified');
    }
  }

  async verifyAll(): Promise<void> {
    await Promise.all(this.all.map((gateway) => this.verify(gateway)));
  }

  /** Keeps every account in sight from now on. */
  watchAll(): void {
    this.isWatching = true;
    for (const gateway of this.all) this.watch(gateway);
  }

  stop(): void {
    this.isWatching = false;
    for (const timer of this.timers.values()) timer.cancel();
    for (const { hub } of this.all) hub.stop();
  }

  private watch({ session, money }: GatewayServices): void {
    const { clock, logger } = this.options;
    const look = (): void => {
      money.look().catch((error: unknown) => logger.error({ err: error }, 'a look at the account failed'));
    };
    this.timers.set(session.name, clock.every(lookEveryMs, look));
  }
}
