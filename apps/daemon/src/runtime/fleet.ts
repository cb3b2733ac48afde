import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import type { DaemonFile } from '../daemon-file/daemon-file';
import type { UnitLease } from '../leases/unit-lease';
import { unitOf } from '../leases/units';
import type { StrategyLog } from '../logs/strategy-log';
import { Portfolio } from '../portfolios/portfolio';
import type { StrategyState } from '../state/state-store';
import type { Services } from '../strategies/services';
import { StrategyRunner } from '../strategies/strategy-runner';

/** Opens and closes a strategy's own port. */
export interface Ports {
  open(strategy: StrategyRunner): Promise<void>;
  close(strategy: StrategyRunner): void;
}

/** The units that run here under leases. */
export interface LeasedUnits {
  /** Name of this host. */
  readonly host: string;
  /** The lease of a strategy. @throws Error when it must not run here */
  leaseOf(spec: StrategySpec): UnitLease;
  /** The state of a unit under its present lease. @throws Error when it must not run here */
  stateOf(unit: string): StrategyState;
}

/** The deployed strategies and portfolios. Every change replaces the lists, so that a reader gets a consistent list. */
export class Fleet {
  strategies: readonly StrategyRunner[] = [];
  portfolios: readonly Portfolio[] = [];

  constructor(
    private readonly services: Services,
    private readonly ports: Ports,
    /** The leases of this host. Null: every configured strategy runs here. */
    private readonly units: LeasedUnits | null = null,
  ) {}

  strategy(name: string): StrategyRunner | undefined {
    return this.strategies.find(({ spec }) => spec.name === name);
  }

  /** A strategy of the configuration, not started yet. @throws Error when it must not run here */
  add(spec: StrategySpec): StrategyRunner {
    const strategy = new StrategyRunner(spec, this.servicesOf(spec));
    this.forgoUnconfigured(strategy);
    this.strategies = [...this.strategies, strategy];
    this.noteHost(strategy.log, spec);
    return strategy;
  }

  async openPort(strategy: StrategyRunner): Promise<void> {
    await this.ports.open(strategy);
  }

  /** Removes a strategy that has ended. */
  remove(strategy: StrategyRunner): void {
    this.ports.close(strategy);
    this.services.latency.forget(strategy.spec.name);
    strategy.log.endFollowing();
    this.strategies = this.strategies.filter((other) => other !== strategy);
  }

  closePorts(): void {
    for (const strategy of this.strategies) this.ports.close(strategy);
  }

  /** Puts the strategies in the order of the file, and groups them to its portfolios. */
  async arrange({ strategies, portfolios }: DaemonFile): Promise<void> {
    const order = strategies.map(({ name }) => name);
    const place = ({ spec }: StrategyRunner): number =>
      order.includes(spec.name) ? order.indexOf(spec.name) : order.length;
    this.strategies = [...this.strategies].sort((a, b) => place(a) - place(b));
    const wanted = [...portfolios, ...this.leftOver(portfolios)];
    this.portfolios = await Promise.all(wanted.map((spec) => this.portfolio(spec)));
  }

  /** Portfolios that are no longer configured but have a child that could not be retired yet. */
  private leftOver(configured: readonly PortfolioSpec[]): readonly PortfolioSpec[] {
    const names = new Set(configured.map(({ name }) => name));
    return this.portfolios
      .map(({ spec }) => spec)
      .filter(({ name }) => !names.has(name) && this.childrenOf(name).length > 0);
  }

  private async portfolio(spec: PortfolioSpec): Promise<Portfolio> {
    const children = this.childrenOf(spec.name);
    const { clock, logs } = this.services;
    const named = { ...spec, children: children.map((child) => child.spec.name) };
    const known = this.portfolios.find((portfolio) => portfolio.spec.name === spec.name);
    if (!known) {
      const store = this.units?.stateOf(spec.name) ?? this.services.store;
      const log = logs.of(spec.name, 'portfolio');
      if (children[0]) this.noteHost(log, children[0].spec);
      return new Portfolio(named, children, store, clock, log);
    }
    await known.respec(named, children);
    return known;
  }

  private servicesOf(spec: StrategySpec): Services {
    const { services, units } = this;
    if (units === null) return services;
    const lease = units.leaseOf(spec);
    return { ...services, lease, shutdown: lease.shutdown, store: units.stateOf(unitOf(spec)) };
  }

  /** A strategy has a log on each host that it ran on: their lines are put together by this one. */
  private noteHost(log: StrategyLog, spec: StrategySpec): void {
    if (this.units === null) return;
    const { host } = this.units;
    log.info('runs on this host', { host, leaseToken: this.units.leaseOf(spec).fence.token });
  }

  /** Gateways that are never read must not prevent the checks of limits for the rest. */
  private forgoUnconfigured({ book, account, log }: StrategyRunner): void {
    for (const { broker, ticket, symbol } of book.openTickets) {
      if (this.services.gateways.has(broker)) continue;
      log.error('positions or orders on a gateway that is not configured are ignored', {
        broker,
        ticket,
        symbol,
      });
      account.forgo(broker);
    }
  }

  private childrenOf(portfolio: string): readonly StrategyRunner[] {
    return this.strategies.filter(({ spec }) => spec.portfolio === portfolio);
  }
}
