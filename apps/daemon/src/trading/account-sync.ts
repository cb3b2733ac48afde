import type { Clock } from '@libs/clock';
import { GatewayReadError } from '@libs/gateway-client';
import { AccountMismatchError, type GatewaySession } from '../gateways/gateway-session';
import { AccountRows } from './account-rows';
import { eachOf } from './each-of';
import { Settlement, type Settled, type TicketMemory } from './settlement';

/** A strategy as the synchronisation sees it. */
export interface Account extends Settled {
  /** Positions under the strategy's magic that it does not own. */
  onStrangers(broker: string, tickets: readonly { ticket: number; symbol: string }[]): Promise<void>;
  onSeen(): void;
  /** Something went wrong with this account alone, in a way nobody foresaw. */
  onTrouble(error: unknown): void;
}

/** How old a view of the account may be before entries stop. */
const oldestViewMs = 10_000;
/** `margin_mode` of an account with any number of positions a symbol. */
const hedging = 2;
/** Accounts settled at a time: their writes to disk go together. */
const atATime = 16;

/**
 * Keeps the books of all strategies of one gateway in step with its account. A read that fails changes nothing: the
 * books keep what was known, and {@link problem} tells that it may have aged.
 */
export class AccountSync {
  /** What the last look read; orders only while any was waited for. */
  seen: AccountRows = new AccountRows([], []);
  private readonly accounts = new Set<Account>();
  private running: Promise<void> | null = null;
  private queued: Promise<void> | null = null;
  private readonly settlement: Settlement;
  /** When the last look that succeeded began, on the monotonic clock; null before the first. */
  private seenMs: number | null = null;
  private lastFailed = true;

  constructor(
    private readonly session: GatewaySession,
    /** What is remembered of tickets, whoever's they were: rows may lag behind deals. */
    private readonly memory: TicketMemory,
    private readonly clock: Clock,
  ) {
    const { name, client } = session;
    const account = { name, reads: client.reads, isHedging: () => session.account?.margin_mode === hedging };
    this.settlement = new Settlement(account, memory);
  }

  /** True while the last look at the account succeeded and is not too old. */
  get current(): boolean {
    return this.problem === null;
  }

  /** Why the view of the account is not to be relied on; null while it is. */
  get problem(): string | null {
    if (this.seenMs === null) return 'the account could not be read';
    const ageMs = this.clock.monotonicMs() - this.seenMs;
    if (ageMs > oldestViewMs) return `the account could not be read for ${Math.round(ageMs / 1_000)} s`;
    return this.lastFailed ? 'the account could not be read' : null;
  }

  /** How long ago the last look that succeeded began, in milliseconds; null before the first. */
  get ageMs(): number | null {
    return this.seenMs === null ? null : this.clock.monotonicMs() - this.seenMs;
  }

  add(account: Account): void {
    this.accounts.add(account);
  }

  remove(account: Account): void {
    this.accounts.delete(account);
  }

  /** Resolves after a look at the account that began after this call; callers share looks. */
  now(): Promise<void> {
    if (this.queued) return this.queued;
    if (!this.running) return (this.running = this.look().finally(() => (this.running = null)));
    // A look that failed in a way nobody foresaw must not be the last one.
    const after = this.running
      .catch(() => undefined)
      .then(() => {
        this.queued = null;
        return (this.running = this.look().finally(() => (this.running = null)));
      });
    return (this.queued = after);
  }

  private async look(): Promise<void> {
    const beganMs = this.clock.monotonicMs();
    // One that is added meanwhile is not told of a look that it had no part in: the next one is its first.
    const present = [...this.accounts];
    try {
      const broker = this.session.name;
      // The rows of another account would read as everything closed: look whose they are, too.
      const [rows] = await Promise.all([this.rows(), this.session.look()]);
      this.session.succeeded();
      this.seen = rows;
      for (const { book } of present) book.see(broker, rows);
      await eachOf(present, atATime, (account) => this.settlement.settle(account));
      for (const account of present.filter((one) => this.accounts.has(one))) {
        try {
          await this.tellOfStrangers(account, rows);
          account.onSeen();
        } catch (error) {
          // It must not take the others' view of the account away.
          account.onTrouble(error);
        }
      }
      this.seenMs = beganMs;
      this.lastFailed = false;
    } catch (error) {
      this.lastFailed = true;
      this.session.failed(error);
      if (!(error instanceof GatewayReadError || error instanceof AccountMismatchError)) throw error;
    }
  }

  private async rows(): Promise<AccountRows> {
    const { client, name } = this.session;
    const isWaiting = [...this.accounts].some(({ book }) => book.hasWorkingOrders(name));
    // Orders first: a pending order that fills in between is then seen twice, and never as gone.
    const orders = isWaiting ? await client.reads.orders() : [];
    return new AccountRows(await client.reads.positions(), orders);
  }

  private async tellOfStrangers(account: Account, rows: AccountRows): Promise<void> {
    const broker = this.session.name;
    // It may only own something here that it opened before it moved: the magic is another's by now.
    if (!account.book.spec.streams.some((stream) => stream.broker === broker)) return;
    const strangers = rows
      .positionsOf(account.book.spec.magic)
      .filter(({ identifier }) => !account.book.owns(broker, identifier) && !this.isKnown(identifier))
      .map(({ identifier, symbol }) => ({ ticket: identifier, symbol }));
    if (strangers.length > 0) await account.onStrangers(broker, strangers);
  }

  private isKnown(identifier: number): boolean {
    const broker = this.session.name;
    if ([...this.accounts].some(({ book }) => book.owns(broker, identifier))) return true;
    // Rows may lag behind deals, and the owner of an open one may not be deployed any more.
    return this.memory.ownerOf(broker, identifier) !== null;
  }
}
