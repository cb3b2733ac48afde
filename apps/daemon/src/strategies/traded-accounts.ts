import type { Unexplained } from '@libs/account-evidence';
import { currencyDigits, GatewayReadError } from '@libs/gateway-client';
import { unexplainedReason } from '../core/position-evidence';
import type { StrategySpec } from '../core/strategy-spec';
import type { AccountState } from '../gateways/account-state';
import { gatewayOf } from '../live/surroundings';
import { accountUnfitness } from '../live/account-fitness';
import { AccountUnreadError } from './not-yet-error';
import type { Services } from './services';
import type { StrategyTrading } from '../live/strategy-trading';

/** An account as a strategy sees it: what its gateway says, and what its own books say. */
export interface SeenAccount extends AccountState {
  readonly gateway: string;
}

/** The accounts that one strategy trades on, and those where it still owns something. */
export class TradedAccounts {
  constructor(
    private readonly trading: StrategyTrading,
    private readonly services: Services,
  ) {}

  /** Gateways that it trades through, and those where it still owns something or has a request in flight. */
  get brokers(): readonly string[] {
    const { book, desk } = this.trading;
    const left = [...book.openTickets.map(({ broker }) => broker), ...desk.brokersOnTheWay];
    const known = left.filter((name) => this.services.gateways.has(name));
    return [...new Set([...book.spec.streams.map(({ broker }) => broker), ...known])];
  }

  /** Whether each account may be believed; of the differences, those of the strategy's own tickets. */
  get seen(): readonly SeenAccount[] {
    const { book } = this.trading;
    return this.brokers.map((gateway) => {
      const told = gatewayOf(this.services.gateways, gateway).session.accountState;
      const lacks = this.lacksOf(gateway);
      const tickets = [...new Set([...told.tickets, ...lacks.flatMap(({ ticket }) => ticket ?? [])])];
      const differences = told.differences.filter(({ ticket }) => ticket !== null && book.owns(gateway, ticket));
      return { gateway, state: told.state, reason: told.reason ?? unexplainedReason(lacks), tickets, differences };
    });
  }

  /** What an account lacks of the books of the strategy although no deal has closed it. */
  lacksOf(gateway: string): readonly Unexplained[] {
    return gatewayOf(this.services.gateways, gateway).sync.lacksOf(this.trading.book);
  }

  /** Currency of the accounts, which all have one, and its decimals; null until one was read. */
  get money(): { readonly currency: string; readonly digits: number } | null {
    const accounts = this.brokers.map((broker) => gatewayOf(this.services.gateways, broker).session.account);
    const [known] = accounts.filter((account) => account !== null);
    return known === undefined ? null : { currency: known.currency, digits: currencyDigits(known.currency) };
  }

  /** True while the last reads of the accounts succeeded. */
  get areCurrent(): boolean {
    return this.brokers.every((broker) => gatewayOf(this.services.gateways, broker).sync.current);
  }

  /**
   * Time of its positions, orders and equity, in milliseconds since the epoch: of the oldest of the last snapshots of its
   * accounts. Null until each account was read.
   */
  get asOfMs(): number | null {
    const ages = this.brokers.map((broker) => gatewayOf(this.services.gateways, broker).sync.ageMs);
    const known = ages.filter((ageMs) => ageMs !== null);
    return known.length < ages.length ? null : Math.round(this.services.clock.nowMs() - Math.max(...known));
  }

  /** Whether the accounts that a version would trade on could be reached when they were last asked. */
  areReachable(spec: StrategySpec): boolean {
    return this.brokersOf(spec).every((broker) => gatewayOf(this.services.gateways, broker).session.reachable);
  }

  /**
   * Reads the accounts that a version would trade on.
   * @throws AccountUnreadError while a gateway answers that it cannot read its account; Error if one cannot be read or does not suit it
   */
  async verify(spec: StrategySpec): Promise<void> {
    const { services } = this;
    for (const broker of this.brokersOf(spec)) {
      await gatewayOf(services.gateways, broker)
        .session.verify()
        .catch((error: unknown) => {
          const isRefused = error instanceof GatewayReadError && error.failure === 'refused' && error.isTransient;
          throw isRefused ? new AccountUnreadError(error.message, { cause: error }) : error;
        });
    }
    const unfit = accountUnfitness(
      spec,
      services.specs(),
      (broker) => gatewayOf(services.gateways, broker).session.account,
    );
    if (unfit !== null) throw new Error(unfit);
  }

  /** Subscribes the strategy to the account snapshots of exactly the gateways that it uses. */
  subscribe(): void {
    const { brokers } = this;
    const { account } = this.trading;
    for (const { session, sync } of this.services.gateways.values()) {
      if (brokers.includes(session.name)) sync.add(account);
      else sync.remove(account);
    }
  }

  /** Takes a snapshot of each account for its books. @throws AccountUnreadError if one could not be read */
  async read(): Promise<void> {
    for (const broker of this.brokers) {
      const { sync } = gatewayOf(this.services.gateways, broker);
      await sync.now();
      if (!sync.current)
        throw new AccountUnreadError(`the account of ${broker} could not be read: ${sync.entryProblem}`);
    }
  }

  private brokersOf({ streams }: StrategySpec): readonly string[] {
    return [...new Set([...streams.map(({ broker }) => broker), ...this.brokers])];
  }
}
