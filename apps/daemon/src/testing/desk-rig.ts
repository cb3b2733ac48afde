import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, type Clock } from '@libs/clock';
import type { Fill, OrderGone, Reject } from '@libs/strategy';
import { pino } from 'pino';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { GatewaySession } from '../gateways/gateway-session';
import { LatencyBook } from '../latency/latency-book';
import { StrategyLog } from '../logs/strategy-log';
import { Persistence } from '../state/persistence';
import { remembered } from '../state/remembered';
import { StateStore, type Change } from '../state/state-store';
import { StrategyAccount } from '../strategies/strategy-account';
import { AccountSync } from '../trading/account-sync';
import { IdempotencyKeys } from '../trading/idempotency-keys';
import { OrderDesk } from '../trading/order-desk';
import { entryDenied } from '../trading/risk';
import { StrategyBook } from '../trading/strategy-book';
import type { ContractGateway } from './contract-gateway';

export const spec: StrategySpec = {
  name: 'ema',
  module: '',
  magic: 7,
  streams: [{ alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }],
  capital: 10_000,
  params: {},
  risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
  onMismatch: 'halt',
  workerGroup: null,
  portfolio: null,
};

/** A strategy's desk, book and account on a gateway, with everything of the daemon around them but the strategy. */
export class DeskRig {
  readonly fills: Fill[] = [];
  readonly rejects: Reject[] = [];
  readonly gone: OrderGone[] = [];
  readonly session: GatewaySession;
  readonly sync: AccountSync;
  readonly book: StrategyBook;
  readonly desk: OrderDesk;
  readonly account: StrategyAccount;
  readonly persistence: Persistence;
  readonly latency = new LatencyBook(true);
  stopping = false;
  /** What fills bring about beside their booking. */
  along: (fills: readonly Fill[]) => Change = () => ({});
  /** Whether the gateway is in the configuration, as it is until a reload takes it out. */
  configured = true;
  private constructor(
    readonly gateway: ContractGateway,
    readonly store: StateStore,
    changes: Partial<StrategySpec>,
    clock: Clock,
  ) {
    const mine = { ...spec, ...changes };
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
    const { record, tickets, unreadable } = remembered(store, mine.name, ['demo']);
    this.book = new StrategyBook(mine, record, tickets);
    this.persistence = new Persistence(store, unreadable);
    const log = new StrategyLog(join(tmpdir(), 'desk-rig', `${process.pid}.log`), clock, pino({ level: 'silent' }));
    this.account = new StrategyAccount(this.book, {
      clock,
      log,
      persistence: this.persistence,
      marketMs: () => Date.UTC(2024, 0, 1),
      intentOf: (broker, deal) => this.desk.intentOf(broker, deal),
      inFlightOn: (broker) => this.desk.inFlightOn(broker),
      along: (fills) => this.along(fills),
      onFills: (fills) => this.fills.push(...fills),
      onOrderGone: (gone) => this.gone.push(gone),
      onHalt: () => undefined,
      onSeen: async () => undefined,
    });
    this.desk = new OrderDesk(this.book, {
      clock,
      log,
      keys: new IdempotencyKeys(),
      latency: this.latency,
      hasGateway: (broker) => this.hasGateway(broker),
      clientOf: (broker) => this.sessionOf(broker).client,
      ticketOf: (broker, ticket) => store.ticket(broker, ticket),
      look: async (broker) => this.sessionOf(broker) && this.sync.now(),
      commit: (change) => this.account.commit(change),
      denied: (_stream, volume, unresolved) =>
        entryDenied({
          volume,
          unresolved,
          openPositions: this.book.openTickets.length,
          risk: mine.risk,
          haltReason: this.book.record.halt?.reason ?? null,
          stopping: this.stopping,
          accountProblem: this.sync.problem,
          stateWritable: this.persistence.lastError === null,
          accountMismatch: null,
          staleSymbol: false,
          clockSkewMs: null,
        }),
      onReject: (reject) => this.rejects.push(reject),
      onDone: () => undefined,
      isStopping: () => this.stopping,
      hasEnded: () => this.stopping,
    });
    this.sync.add(this.account);
  }

  static async start(
    gateway: ContractGateway,
    { stateDir = mkdtempSync(join(tmpdir(), 'rig-')), changes = {}, clock = new SystemClock() } = {},
  ): Promise<DeskRig> {
    const rig = new DeskRig(gateway, StateStore.open(stateDir), changes, clock);
    await rig.sync.now();
    return rig;
  }

  /** Wants an entry; resolves when the desk is done with it or looks further in the background. */
  buy(volume = 0.1, id = 'i1'): Promise<void> {
    const intent = { id, action: 'enter', side: 'buy', stream: 'eur', options: { volume } } as const;
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 });
  }

  close(position: number, volume: number | null = null, id = 'c1'): Promise<void> {
    const intent = { id, action: 'close', position, broker: null, volume } as const;
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 });
  }

  protect(position: number, sl: number, id = 'p1'): Promise<void> {
    const intent = { id, action: 'protect', position, broker: null, sl } as const;
    return this.desk.carryOut(intent, { receivedNanos: null, decidedNanos: 0 });
  }

  private hasGateway(broker: string): boolean {
    return this.configured && broker === this.session.name;
  }

  private sessionOf(broker: string): GatewaySession {
    if (!this.hasGateway(broker)) throw new Error(`gateway ${broker} is not configured`);
    return this.session;
  }

  /** Waits until nothing is unknown any more. */
  async settled(): Promise<void> {
    while (this.desk.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await this.store.close();
  }
}
