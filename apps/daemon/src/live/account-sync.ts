import type { Unexplained } from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import { GatewayReadError } from '@libs/gateway-client';
import { externalPositions, type ExternalPosition } from '../core/external-positions';
import type { LostStop } from '../core/lost-stops';
import { AccountMismatchError, type GatewaySession } from '../gateways/gateway-session';
import { AccountRows } from '../core/account-rows';
import type { StrategyBook } from '../core/strategy-book';
import { LateCosts } from './late-costs';
import { Settlement, type Settled, type TicketMemory } from './settlement';

/** A strategy's side of the synchronisation. */
export interface Account extends Settled {
  /** Applies the rows of a snapshot. */
  see(broker: string, rows: AccountRows): void;
  /** External positions with the strategy's magic. */
  onExternalPositions(broker: string, positions: readonly ExternalPosition[]): Promise<void>;
  /** Stop-losses of the account that are not those that were set; only of an explained account. */
  onLostStops(broker: string, lost: readonly LostStop[]): void;
  onSeen(): void;
  /** The gateway answers, and refuses a read of the account. */
  onUnread(broker: string): void;
  /** Called for an unexpected error of this account. */
  onTrouble(error: unknown): void;
}

/** Age of the account snapshot at which entries stop. */
const oldestViewMs = 10_000;
/** Accounts that are settled at a time: their writes to disk are grouped. */
const atATime = 16;

/**
 * Synchronises the books of all strategies of one gateway with its account. A failed read changes nothing: the books
 * keep the last known state, and {@link problem} reports that it may be outdated.
 */
export class AccountSync {
  /** Rows of the last snapshot; orders only if a strategy has pending orders. */
  seen: AccountRows = new AccountRows([], []);
  private readonly accounts = new Set<Account>();
  private running: Promise<void> | null = null;
  private queued: Promise<void> | null = null;
  private readonly settlement: Settlement;
  private readonly lateCosts: LateCosts;
  /** Tickets that the account lacked when their deals had been read, by the books that have them. */
  private readonly lacked = new WeakMap<StrategyBook, ReadonlySet<number | null>>();
  /** Monotonic time at which the last successful snapshot began; null before the first. */
  private seenMs: number | null = null;
  private lastFailed = true;
  /** The next snapshot reads again what deals cost. */
  private readsCosts = false;

  constructor(
    private readonly session: GatewaySession,
    /** Known tickets of all strategies, including removed ones: rows may lag behind deals. */
    private readonly memory: TicketMemory,
    private readonly clock: Clock,
  ) {
    const { name, client } = session;
    const account = { name, reads: client.reads, isHedging: () => session.isHedging };
    this.settlement = new Settlement(account, memory, true);
    this.lateCosts = new LateCosts(name, clock);
  }

  /** True while the last account snapshot succeeded and is not too old. */
  get current(): boolean {
    return this.problem === null;
  }

  /** Why no entry may rely on the account; null while it may. */
  get entryProblem(): string | null {
    const { state, reason } = this.session.accountState;
    return state === 'synchronizing' ? reason : (this.problem ?? reason);
  }

  /** Why the account snapshot is not reliable; null while it is. */
  get problem(): string | null {
    if (this.seenMs === null) return 'the account could not be read';
    const ageMs = this.clock.monotonicMs() - this.seenMs;
    if (ageMs > oldestViewMs) return `the account could not be read for ${Math.round(ageMs / 1_000)} s`;
    return this.lastFailed ? 'the account could not be read' : null;
  }

  /** Age of the last successful snapshot in milliseconds, from its begin; null before the first. */
  get ageMs(): number | null {
    return this.seenMs === null ? null : this.clock.monotonicMs() - this.seenMs;
  }

  /**
   * What the account lacks of the books although no deal has closed it. A position that is gone is not among it before its deals
   * were read: a list comes before the deals that explain it.
   */
  lacksOf(book: StrategyBook): readonly Unexplained[] {
    const lacked = this.lacked.get(book);
    return book.unexplained(this.session.name).filter(({ ticket }) => lacked?.has(ticket) === true);
  }

  add(account: Account): void {
    this.accounts.add(account);
  }

  remove(account: Account): void {
    this.accounts.delete(account);
  }

  /** Resolves after an account snapshot that began after this call; callers share snapshots. */
  now(): Promise<void> {
    if (this.queued) return this.queued;
    if (!this.running) return (this.running = this.look().finally(() => (this.running = null)));
    // An unexpected error must not end the snapshots.
    const after = this.running
      .catch(() => undefined)
      .then(() => {
        this.queued = null;
        return (this.running = this.look().finally(() => (this.running = null)));
      });
    return (this.queued = after);
  }

  /** Whether deals may show only now what they cost. */
  get mayCostMore(): boolean {
    return [...this.accounts].some(({ book }) => this.lateCosts.positionsOf(book).length > 0);
  }

  /** As {@link now}. Also reads the deals again that were booked lately: the balance has moved, and no new deal explains it. */
  recheck(): Promise<void> {
    this.readsCosts = true;
    return this.now();
  }

  private async look(): Promise<void> {
    const { readsCosts } = this;
    this.readsCosts = false;
    const beganMs = this.clock.monotonicMs();
    // A strategy that is added during a snapshot takes part from the next one.
    const present = [...this.accounts];
    try {
      const broker = this.session.name;
      // The rows of another account would look as if everything were closed, so verify the account as well.
      this.session.readMoney(beganMs);
      const [rows] = await bothOf(this.rows(), this.session.look());
      this.session.succeeded();
      this.seen = rows;
      for (const account of present) account.see(broker, rows);
      await eachOf(present, atATime, (account) => this.settlement.settle(account));
      for (const account of present) {
        const positions = this.lateCosts.positionsOf(account.book);
        if (readsCosts) await this.settlement.readAgain(account, positions);
      }
      for (const { book } of present)
        this.lacked.set(book, new Set(book.unexplained(broker).map(({ ticket }) => ticket)));
      await this.each(present, async (account) => {
        await this.reportExternal(account, rows);
        account.onLostStops(broker, this.session.lostStops);
        account.onSeen();
      });
      this.seenMs = beganMs;
      this.lastFailed = false;
    } catch (error) {
      this.lastFailed = true;
      this.session.failed(error);
      if (!(error instanceof GatewayReadError || error instanceof AccountMismatchError)) throw error;
      // Whether an exit passes is for the gateway to say, as long as it answers and the account is the right one.
      const isRefused = error instanceof GatewayReadError && error.failure === 'refused';
      if (!isRefused || this.session.entryProblem !== null) return;
      await this.each(present, (account) => account.onUnread(this.session.name));
    }
  }

  /** The error of one strategy must not affect the others. */
  private async each(present: readonly Account[], act: (account: Account) => unknown): Promise<void> {
    for (const account of present.filter((one) => this.accounts.has(one))) {
      try {
        await act(account);
      } catch (error) {
        account.onTrouble(error);
      }
    }
  }

  private async rows(): Promise<AccountRows> {
    const { client, name } = this.session;
    const isWaiting = [...this.accounts].some(({ book }) => book.hasWorkingOrders(name));
    // Orders are read first: a pending order that fills in between appears in both lists, and never as gone.
    const orders = isWaiting ? await client.reads.orders() : [];
    return new AccountRows(await client.reads.positions(), orders, this.session.floatingProfit);
  }

  private async reportExternal(account: Account, rows: AccountRows): Promise<void> {
    const broker = this.session.name;
    // What nothing explains yet is no fact that a strategy may be halted for.
    if (this.session.accountState.reason !== null) return;
    const ofMagic = rows.positionsOf(account.book.spec.magic);
    const isKnown = (ticket: number): boolean => account.book.owns(broker, ticket) || this.isKnown(ticket);
    const positions = externalPositions(ofMagic, isKnown);
    if (positions.length > 0) await account.onExternalPositions(broker, positions);
  }

  private isKnown(identifier: number): boolean {
    const broker = this.session.name;
    if ([...this.accounts].some(({ book }) => book.owns(broker, identifier))) return true;
    // Rows may lag behind deals, and the owner of an open position may no longer be deployed.
    return this.memory.ownerOf(broker, identifier) !== null;
  }
}

/** Both results. Waits for both also if one fails, so that what the gateway says of its account is known by then. */
async function bothOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/**
 * Runs a task for every item with limited concurrency and waits for all. @throws the first error, after all have ended
 */
export async function eachOf<Item>(
  items: readonly Item[],
  atATime: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await run(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
