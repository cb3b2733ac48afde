import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { noSpans } from '@libs/tracing';
import { pino, type Logger } from 'pino';
import type { Deployed } from '../control/deployed';
import type { PortfolioSpec, RiskSpec, StrategySpec } from '../core/strategy-spec';
import { Gateways } from '../runtime/gateways';
import { LatencyBook } from '../latency/latency-book';
import { LogBook } from '../logs/log-book';
import type { Portfolio } from '../portfolios/portfolio';
import { Configuration } from '../runtime/configuration';
import { Fleet } from '../runtime/fleet';
import type { HeldLease } from '../leases/keeper-state';
import { UnitLease } from '../leases/unit-lease';
import { Shutdown } from '../shutdown';
import { Slots } from '../slots';
import { blankRecord, type OwnedTicket, type StrategyRecord } from '../core/records';
import { StateStore } from '../state/state-store';
import { UnitState, UnitStates } from '../state/unit-states';
import { NotedStores } from './real-work';
import { BundleCache } from '../strategies/bundle-cache';
import type { Services } from '../strategies/services';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { StrategyWorker, ThreadHost } from '../strategies/thread-host';
import { Threads } from '../strategies/threads';
import { IdempotencyKeys } from '../live/surroundings';
import type { ContractGateway } from './contract-gateway';
import { spec } from '../core/testing/spec';

export interface Configured {
  /** The gateways by their names. */
  readonly gateways: Readonly<Record<string, ContractGateway>>;
  /** Aliases of the portfolio's children, with the gateways each trades on. */
  readonly children: Readonly<Record<string, readonly string[]>>;
  readonly risk?: Partial<PortfolioSpec['risk']>;
  /** Whether its strategies run under {@link FleetRig.lease}. */
  readonly isLeased?: boolean;
  /** The own limits of each child. */
  readonly childRisk?: Partial<RiskSpec>;
  /** Path of the strategy file of each child. */
  readonly module?: string;
}

const capital = 50_000;
/** Threads that take strategies and never answer. */
class SilentThreads implements ThreadHost {
  /** What the ids of intents begin with, of each strategy that was to be loaded. */
  readonly idPrefixes: string[] = [];

  start(): StrategyWorker {
    return {
      post: (message) => {
        if (message.type === 'load') this.idPrefixes.push(message.deployment.idPrefix);
      },
      terminate: () => Promise.resolve(),
    };
  }
}

/** A portfolio with its children over real gateways and a real state, as the daemon has them before strategies run. */
export class FleetRig {
  readonly clock = new VirtualClock();
  readonly store: StateStore;
  readonly fleet: Fleet;
  readonly gateways: Gateways;
  readonly logs: LogBook;
  readonly threads = new SilentThreads();
  /** Under which the strategies run; unless they run without one. */
  readonly lease: UnitLease;
  /** The lease at the start. */
  readonly held: HeldLease;
  /** The states of the units that run here. */
  readonly states = new UnitStates(() => []);
  private readonly configuration: Configuration;

  private constructor(
    readonly stateDir: string,
    logger: Logger,
    isLeased: boolean,
  ) {
    const { clock } = this;
    const renewedMs = clock.monotonicMs();
    this.held = { id: 1, fence: { name: 'book', token: 7 }, renewedMs, leavingReason: null, endReason: null };
    const duration = { leaseMs: 9_000, shutdown: new Shutdown(), onFencedOut: () => undefined };
    this.lease = new UnitLease(this.held, { clock, ...duration });
    this.configuration = new Configuration(clock);
    this.store = StateStore.open(stateDir, clock, new NotedStores());
    this.states.add(new UnitState({ unit: 'book', token: 7, store: this.store, exits: null }));
    this.logs = new LogBook(join(stateDir, 'logs'), clock, logger);
    this.gateways = new Gateways({
      ...{ clock, logger, store: this.store },
      ...{ deployed: { strategies: [] }, keys: { apiKey: () => 'k' } },
    });
    const services: Services = {
      ...{ clock, store: isLeased ? this.states : this.store, logs: this.logs },
      ...{ latency: new LatencyBook(false), keys: new IdempotencyKeys('fleet'), bundles: new BundleCache() },
      barWaitMs: 2_000,
      spans: noSpans,
      threads: new Threads(this.threads, { watchdogMs: 1_000, maxHeapMb: 32 }, clock),
      loads: new Slots(2),
      gateways: this.gateways.byName,
      shutdown: new Shutdown(),
      lease: null,
      recordings: null,
      specs: () => [],
    };
    const units = { host: 'host-1', leaseOf: () => this.lease, stateOf: (unit: string) => this.states.of(unit) };
    const ports = { open: () => Promise.resolve(), close: () => undefined };
    this.fleet = new Fleet(services, ports, isLeased ? units : null);
  }

  /** @param stateDir what an earlier process has left */
  static async start(
    configured: Configured,
    stateDir = mkdtempSync(join(tmpdir(), 'fleet-')),
    logger = pino({ level: 'silent' }),
  ): Promise<FleetRig> {
    const rig = new FleetRig(stateDir, logger, configured.isLeased ?? false);
    for (const [name, { url }] of Object.entries(configured.gateways)) {
      rig.gateways.add({
        ...{ name, url, apiKeyEnv: 'K', maxClockSkewMs: null, expect: { login: null, tradeMode: null } },
      });
    }
    for (const child of childrenOf(configured)) rig.fleet.add(child).accounts.subscribe();
    await rig.arrange(configured);
    return rig;
  }

  /** What the control port shows of it. */
  get deployed(): Deployed {
    const { strategies, portfolios } = this.fleet;
    const uptimeMs = this.clock.monotonicMs();
    return { gateways: this.gateways.all, strategies, portfolios, configuration: this.configuration, uptimeMs };
  }

  get portfolio(): Portfolio {
    const [portfolio] = this.fleet.portfolios;
    if (!portfolio) throw new Error('there is no portfolio');
    return portfolio;
  }

  child(alias: string): StrategyRunner {
    const found = this.fleet.strategy(`book/${alias}`);
    if (!found) throw new Error(`there is no child ${alias}`);
    return found;
  }

  /** Takes another configuration over, as a reload does once strategies have come and gone. */
  async arrange(configured: Configured): Promise<void> {
    const specs = childrenOf(configured);
    const names = specs.map(({ name }) => name);
    for (const strategy of this.fleet.strategies) if (!names.includes(strategy.spec.name)) this.fleet.remove(strategy);
    for (const one of specs) if (!this.fleet.strategy(one.name)) this.fleet.add(one).accounts.subscribe();
    const risk = { maxDailyLoss: null, maxDrawdownPct: null, ...configured.risk };
    await this.fleet.arrange({
      gateways: [],
      strategies: specs,
      portfolios: [{ name: 'book', capital, risk, children: names }],
    });
  }

  /** Reads the gateways; all of them if none is named. */
  async look(...names: readonly string[]): Promise<void> {
    const wanted = this.gateways.all.filter(({ session }) => names.length === 0 || names.includes(session.name));
    for (const { sync } of wanted) await sync.now();
  }

  async stop(): Promise<void> {
    for (const { hub } of this.gateways.all) hub.stop();
    await this.store.close();
  }
}

/** Leaves in a state directory what an earlier process would have. */
export async function leave(stateDir: string, ...left: readonly Left[]): Promise<void> {
  const store = StateStore.open(stateDir);
  for (const { name, record = {}, tickets = [] } of left) {
    await store.write({ strategy: { ...blankRecord(name), ...record }, tickets: tickets.map((of) => of(name)) });
  }
  await store.close();
}

export interface Left {
  readonly name: string;
  readonly record?: Partial<StrategyRecord>;
  readonly tickets?: readonly ((strategy: string) => OwnedTicket)[];
}

/** A position of 0.1 lots as the books remember it. */
export function owned(broker: string, ticket: number): (strategy: string) => OwnedTicket {
  return (strategy) => ({
    ...{ strategy, broker, ticket, stream: broker, symbol: 'EURUSD', intentId: null, deals: [], closed: false },
    ...{ volumeIn: '0.1', volumeOut: '0', side: 'buy', working: false },
  });
}

/** Opens a position at a broker with this floating result; returns its ticket. */
export function floating(gateway: ContractGateway, magic: number, profit: number): number {
  const ticket = gateway.openAtBroker(magic);
  const row = gateway.positions.find((position) => position['ticket'] === ticket);
  if (row) row['profit'] = profit;
  return ticket;
}

function childrenOf({ children, childRisk, module = spec.module }: Configured): readonly StrategySpec[] {
  return Object.entries(children).map(([alias, brokers]) => ({
    ...spec,
    ...{ name: `book/${alias}`, module, portfolio: 'book', magic: magicOf(alias), capital },
    risk: { ...spec.risk, ...childRisk },
    streams: brokers.map((broker) => ({ alias: broker, broker, symbol: 'EURUSD', timeframe: 'M1' })),
  }));
}

export function magicOf(alias: string): number {
  return alias.charCodeAt(0);
}
