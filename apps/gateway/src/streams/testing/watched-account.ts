import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings, type AccountOptions } from '@libs/simulator';
import { lmdbStores } from '@libs/store';
import {
  OrderType,
  PositionType,
  TradeAction,
  tradeRequest,
  type AccountChange,
  type TerminalClient,
  type TradePosition,
  type TradeRequest,
  type AccountInfo,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { AccountEvidence } from '../../account-evidence/account-evidence';
import { FixedZone } from '../../server-time/server-zone';
import { ServerTime } from '../../server-time/server-time';
import { EventLog } from '../event-log';
import { EventLogStore } from '../event-log.store';
import { OwnOrders } from '../own-orders';
import type { TradeEvent } from '../trade-event';
import { TradeWatcher } from '../trade-watcher';

const startMs = Date.UTC(2026, 0, 7, 10);
let intents = 0;

/** Server time of the simulator's default zone in winter. */
function athens(terminal: TerminalClient, clock: VirtualClock): ServerTime {
  const options = { zone: new FixedZone(7_200), fixedOffsetSeconds: null, referenceSymbol: null };
  const derivation = { deriveAttempts: 2, deriveDelayMs: 0, refreshMs: 0, confirmations: 1, maxOffsetAgeMs: 1 };
  const orders = { orderDeriveAttempts: 1, orderDeriveDelayMs: 0 };
  const log = { log: () => undefined, warn: () => undefined };
  return new ServerTime({ ...options, ...derivation, ...orders }, terminal, clock, log, null);
}

/** `polled`: by polls alone. `named`: the gateway names the rows of its trades. `reported`: the terminal reports every change. */
export type Changes = 'polled' | 'named' | 'reported';

/** A simulated account that is traded by hand, and the watcher that records its changes. */
export class WatchedAccount {
  readonly problems: string[] = [];
  /** Virtual milliseconds that one read of the terminal takes. */
  readMs = 0;
  /** Virtual milliseconds that such a question takes. */
  probeMs = 0;
  /** Called between the reads of the terminal. */
  afterRead: (() => Promise<void>) | null = null;
  private reads = 0;
  /** How often the terminal was asked whether it has its server. */
  probes = 0;
  unfollow: () => void = () => undefined;
  /** Of the gateway that runs now. */
  evidence: AccountEvidence;
  private watcher: TradeWatcher;
  private store: EventLogStore;
  log: EventLog;

  private constructor(
    readonly simulator: Simulator,
    readonly terminal: TerminalClient,
    readonly clock: VirtualClock,
    private readonly folder: string,
    private readonly keep: number,
    private readonly changes: Changes,
  ) {
    this.evidence = new AccountEvidence(clock);
    [this.store, this.log, this.watcher] = this.build();
  }

  /**
   * @param keep events kept in the log
   * @param changes how the watcher finds them beside its polls
   */
  static async start(
    account: Partial<AccountOptions> = {},
    keep = 1_000,
    changes: Changes = 'polled',
  ): Promise<WatchedAccount> {
    const clock = new VirtualClock(startMs);
    const options = simulatorOptions(readSettings(simulatorSettings, {}));
    const simulator = new Simulator({ ...options, pumpMs: 0, account: { ...options.account, ...account } }, clock);
    await simulator.start();
    simulator.loginByHand();
    const terminal = simulator.connect();
    await terminal.connect();
    const folder = mkdtempSync(join(tmpdir(), 'trade-events-'));
    const watched = new WatchedAccount(simulator, terminal, clock, folder, keep, changes);
    if (changes === 'named') terminal.pushes?.onChange((change) => watched.watcher.traded(change));
    await watched.connect();
    return watched;
  }

  /** Starts a session; resolves after the first snapshot. */
  async connect(): Promise<void> {
    const account = await this.terminal.accountInfo();
    if (!account) throw new Error('no account is logged in');
    this.watcher.connected(account);
    await this.watcher.look();
  }

  /** Stops the gateway until {@link comeBack}; nothing is read. */
  async goAway(): Promise<void> {
    await this.watcher.stop();
    await this.store.close();
  }

  /** Starts the gateway again on the same folder. */
  async comeBack(): Promise<void> {
    this.evidence = new AccountEvidence(this.clock);
    [this.store, this.log, this.watcher] = this.build();
    await this.connect();
  }

  /** Advances time over several snapshots of all lists and the history. */
  async look(afterMs = 1_000): Promise<TradeEvent[]> {
    const before = this.log.lastSeq;
    for (let passed = 0; passed < afterMs; passed += 1_000) {
      this.clock.advanceSync(Math.min(1_000, afterMs - passed));
      await this.watcher.look();
      await this.watcher.look();
    }
    return this.log.after(before, 1_000);
  }

  /** Reports a trade of the gateway. @returns the events of the immediate read; null if there is none */
  async traded(change: Partial<AccountChange> = { isWider: true }): Promise<TradeEvent[] | null> {
    this.watcher.traded({ orders: new Set(), positions: new Set(), isWider: false, ...change });
    return this.atOnce();
  }

  /** The events of the read that a reported change causes at once; null if there is none. */
  async atOnce(): Promise<TradeEvent[] | null> {
    const [before, reads] = [this.log.lastSeq, this.reads];
    await new Promise((resolve) => setImmediate(resolve));
    if (this.reads === reads) return null;
    await this.watcher.idle();
    return this.log.after(before, 1_000);
  }

  /** Reads of the terminal so far. */
  get readCount(): number {
    return this.reads;
  }

  /** Resolves when the log has so many events. */
  async logged(count: number): Promise<void> {
    const { log } = this;
    const isThere = (): boolean => log.lastSeq - log.firstSeq + 1 >= count;
    if (isThere()) return;
    await new Promise<void>((resolve) => {
      const unfollow = log.follow(() => {
        if (!isThere()) return;
        unfollow();
        resolve();
      });
    });
  }

  /** Takes one snapshot, as a poll does. */
  poll(): Promise<void> {
    return this.watcher.look();
  }

  /** Lets time pass, with the polls of the watcher. */
  async pollFor(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 50) {
      this.clock.advanceSync(50);
      await this.watcher.idle();
    }
  }

  /** Resolves once no snapshot is running. */
  idle(): Promise<void> {
    return this.watcher.idle();
  }

  /** Ends the session. */
  disconnect(): void {
    this.watcher.disconnected();
  }

  /** A short form of the events: `position closed 0.1`. */
  async lookShortly(afterMs?: number): Promise<string[]> {
    return (await this.look(afterMs)).map(shortly);
  }

  async send(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<number> {
    const outcome = await this.terminal.orderSend(sealRequest(`watched-${intents++}`, tradeRequest(fields)));
    if (outcome.kind !== 'answered') throw new Error(`the send was ${outcome.kind}`);
    const { retcode, comment, order } = outcome.result;
    if (retcode !== 10_008 && retcode !== 10_009) throw new Error(`${retcode} ${comment}`);
    return order;
  }

  /** @returns the ticket of the order, which is also that of the opened position */
  deal(type: 'BUY' | 'SELL', volume: number, more: Partial<TradeRequest> = {}): Promise<number> {
    return this.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType[type], volume, ...more });
  }

  /** @returns the ticket of the closing order */
  async close(ticket: number, volume?: number): Promise<number> {
    const position = await this.position(ticket);
    const type = position.type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
    const { symbol } = position;
    const lots = volume ?? position.volume;
    const facts = { symbol, type, volume: lots, position: ticket, magic: position.magic };
    return this.send({ action: TradeAction.DEAL, ...facts });
  }

  async position(ticket: number): Promise<TradePosition> {
    const [position] = await this.terminal.positionsGet({ ticket });
    if (!position) throw new Error(`no position ${ticket}`);
    return position;
  }

  async end(): Promise<void> {
    await this.goAway();
    await this.simulator.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private build(): [EventLogStore, EventLog, TradeWatcher] {
    const store = new EventLogStore(lmdbStores, join(this.folder, 'log'), this.keep, this.clock.nowMs());
    const log = new EventLog(store, (error) => this.problems.push(String(error)));
    const read = async <T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T> => {
      this.reads += 1;
      this.clock.advanceSync(this.readMs);
      const answer = await call(this.terminal);
      await this.afterRead?.();
      return answer;
    };
    const readAccount = async (): Promise<AccountInfo> => {
      const account = await read((terminal) => terminal.accountInfo());
      if (!account) throw new Error('no account is logged in');
      return account;
    };
    const probe = async (): Promise<AccountInfo> => {
      this.probes += 1;
      this.clock.advanceSync(this.probeMs);
      const account = await this.terminal.accountInfo();
      if (!account) throw new Error('no account is logged in');
      return account;
    };
    const pushes = this.changes === 'reported' ? this.terminal.pushes : null;
    const reads = { pushes, read, readAccount, probe, books: '' };
    const own = new OwnOrders(this.clock, () => false);
    const logger = { warn: (message: string) => void this.problems.push(message) };
    const serverTime = athens(this.terminal, this.clock);
    return [store, log, new TradeWatcher(reads, log, serverTime, this.clock, logger, this.evidence, own)];
  }
}

/** `position closed 0.1`, `order opened BUY_LIMIT`, `deal added OUT`. */
function shortly(event: TradeEvent): string {
  const about = event.position?.volume ?? event.order?.type_str ?? event.deal?.entry_str;
  return [event.event, event.action, about].filter((word) => word !== undefined).join(' ');
}
