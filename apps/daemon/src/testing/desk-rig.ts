import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, VirtualClock, type Clock } from '@libs/clock';
import type { Fill, OrderGone, Quote, Reject } from '@libs/strategy';
import { noSpans, type Spans } from '@libs/tracing';
import { pino } from 'pino';
import type { CoreRecordings } from '../core/core-recording';
import { undisturbed } from '../core/risk';
import type { Layer } from '../core/stacks';
import type { StrategySpec } from '../core/strategy-spec';
import { spec } from '../core/testing/spec';
import { GatewaySession } from '../gateways/gateway-session';
import { LatencyBook } from '../latency/latency-book';
import { StrategyLog } from '../logs/strategy-log';
import { MarketHub } from '../market-data/market-hub';
import { Shutdown } from '../shutdown';
import type { Persistence } from '../state/persistence';
import { StateStore } from '../state/state-store';
import { MarketClock, StrategyMarket } from '../live/strategy-market';
import type { StrategyAccount } from '../live/strategy-account';
import { StrategyTrading } from '../live/strategy-trading';
import { AccountSync } from '../live/account-sync';
import { IdempotencyKeys, type TradedGateway } from '../live/surroundings';
import type { OrderDesk } from '../live/order-desk';
import type { StrategyBook } from '../core/strategy-book';
import type { ContractGateway } from './contract-gateway';
import { NotedStores } from './real-work';

/** The log of every rig of a test file. */
export const deskLogFile = join(tmpdir(), 'desk-rig', `${process.pid}.log`);

/** The product's trading of one strategy on a gateway, without its thread and its market data. */
export class DeskRig {
  readonly fills: Fill[] = [];
  readonly rejects: Reject[] = [];
  readonly gone: OrderGone[] = [];
  private reached: Layer[] = [];
  readonly session: GatewaySession;
  readonly sync: AccountSync;
  readonly trading: StrategyTrading;
  readonly latency = new LatencyBook(true);
  private readonly shutdown = new Shutdown();
  private readonly gateways = new Map<string, TradedGateway & { readonly hub: MarketHub }>();

  private constructor(
    readonly gateway: ContractGateway,
    readonly store: StateStore,
    changes: Partial<StrategySpec>,
    clock: Clock,
    keys: IdempotencyKeys,
    recordings: CoreRecordings | null,
    spans: Spans,
  ) {
    const mine = { ...spec, ...changes };
    const { latency, shutdown, gateways } = this;
    this.session = new GatewaySession(
      {
        name: 'demo',
        url: gateway.url,
        apiKeyEnv: 'K',
        maxClockSkewMs: null,
        expect: { login: null, tradeMode: null },
      },
      'k',
    );
    this.sync = new AccountSync(this.session, store, clock);
    this.configured = true;
    const log = new StrategyLog(deskLogFile, clock, pino({ level: 'silent' }));
    const market = StrategyMarket.idle(mine.streams, { clock, barWaitMs: 0, gateways });
    const services = { clock, store, latency, shutdown, lease: null, gateways, keys, recordings, spans };
    this.trading = new StrategyTrading(mine, services, new MarketClock(market, Date.UTC(2024, 0, 1)), log);
    this.trading.events.listen((event) => {
      if (event.type === 'filled') this.fills.push(...event.fills);
      if (event.type === 'rejected') this.rejects.push(event.reject);
      if (event.type === 'gone') this.gone.push(event.gone);
      if (event.type === 'reached') this.reached.push(event.layer);
    });
    this.sync.add(this.account);
  }

  get book(): StrategyBook {
    return this.trading.book;
  }

  get desk(): OrderDesk {
    return this.trading.desk;
  }

  /** The layers of stacks that a quote reaches, which would enter in their turn among the strategy's events. */
  reachedBy(stream: string, quote: Quote): readonly Layer[] {
    this.reached = [];
    this.desk.see(stream, quote, null);
    return this.reached;
  }

  /** The market data of its gateway. @throws Error while the gateway is not configured */
  get hub(): MarketHub {
    const { hub } = this.gateways.get('demo') ?? {};
    if (!hub) throw new Error('the gateway is not configured');
    return hub;
  }

  get account(): StrategyAccount {
    return this.trading.account;
  }

  get persistence(): Persistence {
    return this.trading.persistence;
  }

  get stopping(): boolean {
    return this.shutdown.isStopping;
  }

  /** The daemon shuts down, and has no time left. */
  stopNow(): void {
    this.shutdown.end();
  }

  /** Whether the gateway is in the configuration, as it is until a reload takes it out. */
  set configured(isSo: boolean) {
    const { session, sync } = this;
    const hub = new MarketHub(session, sync, new VirtualClock(), pino({ level: 'silent' }));
    if (isSo) this.gateways.set('demo', { session, sync, hub });
    else this.gateways.delete('demo');
  }

  static async start(
    gateway: ContractGateway,
    {
      stateDir = mkdtempSync(join(tmpdir(), 'rig-')),
      changes = {},
      clock = new SystemClock(),
      keys = new IdempotencyKeys(randomUUID()),
      recordings = null as CoreRecordings | null,
      stores = new NotedStores(),
      spans = noSpans,
    } = {},
  ): Promise<DeskRig> {
    const store = StateStore.open(stateDir, clock, stores);
    const rig = new DeskRig(gateway, store, changes, clock, keys, recordings, spans);
    await rig.sync.now();
    return rig;
  }

  /** Wants an entry; resolves when the desk is done with it or looks further in the background. */
  buy(volume = 0.1, id = 'i1'): Promise<void> {
    const intent = { id, action: 'enter', side: 'buy', stream: 'eur', options: { volume } } as const;
    const circumstances = {
      ...undisturbed,
      stopping: this.stopping,
      stateWritable: this.persistence.lastError === null,
      accountProblem: this.sync.entryProblem,
    };
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 }, circumstances);
  }

  close(position: number, volume: number | null = null, id = 'c1'): Promise<void> {
    const intent = { id, action: 'close', position, broker: null, volume } as const;
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 });
  }

  protect(position: number, sl: number, id = 'p1'): Promise<void> {
    const intent = { id, action: 'protect', position, broker: null, sl } as const;
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 });
  }

  /** Waits until no outcome is unknown. */
  async settled(): Promise<void> {
    while (this.desk.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    this.stopNow();
    await new Promise((resolve) => setTimeout(resolve, 250));
    await this.store.close();
  }
}
