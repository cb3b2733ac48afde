import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { latestDateS, type TradeDeal } from '@libs/terminal-client';
import { NotSynchronizedError } from '../account-evidence/not-synchronized.error';
import { PeriodicWork } from '../schedule/periodic-work';
import { BrokerClock } from '../terminal/broker-clock';
import { accountNotSynchronized, TerminalAccess } from '../terminal/terminal-access';
import { TerminalSession } from '../terminal-session/terminal-session';
import { booksDoubt, SteadyBooks, type AccountBooks } from './account-books';
import type { AccountTraces } from './journal-trust';
import { tagPattern } from './key-marks';
import { ordersWithoutTag } from './lost-keys';
import { TradeJournal } from './trade-journal';

const dayS = 86_400;
/** Retention of the journal's intents, plus a day for the server's time zone. */
const lookbackS = 36 * dayS;
/** A trade between the reads of one look makes them disagree, so one disagreement proves nothing. */
const looksWanted = 3;
const periodMs = 10_000;
/** How long books that are not proven whole have to stay as they are, and how long further keys are looked for in whole ones. */
const steadyMs = 60_000;

/** What the books show, and why that may not be everything; null if it is. */
interface ReadBooks {
  readonly books: AccountBooks;
  readonly doubt: ApiError | null;
}

/**
 * Searches the account for positions, orders and deals with the tag of a key, which only a journal creates: they show that a journal
 * was lost, and which keys it had. A terminal may load its history late, so that nothing is shown proves something only once the
 * account is explained and its history adds up, or stayed as it is for a minute.
 */
@Injectable()
export class TaggedTraces implements AccountTraces, OnModuleInit {
  private taking: Promise<ReadBooks> | null = null;
  private readonly steady = new SteadyBooks();
  private wholeSinceMs: number | null = null;
  private lastDoubt: ApiError | null = null;
  private readonly believed = new Set<number | null>();

  constructor(
    private readonly journal: TradeJournal,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalAccess,
    private readonly brokerClock: BrokerClock,
    private readonly clock: Clock,
    private readonly periodic: PeriodicWork,
  ) {}

  /** Before the session starts, so that a new journal is proven at the first connect. */
  onModuleInit(): void {
    this.journal.trust.proveWith(this);
    this.session.onConnected(() => void this.settle());
    this.periodic.start('lost-keys', periodMs, () => this.lookAgain());
  }

  async find(): Promise<string | null> {
    const { books, doubt } = await this.read();
    const { positions, orders, deals } = books;
    const trace = traceOf('position', positions) ?? traceOf('order', orders) ?? traceOf('deal', deals);
    if (trace === null && doubt !== null) throw doubt;
    return trace;
  }

  /**
   * Before a key counts as unused: takes up the keys that the books show, if a journal was lost before this one.
   * @returns why a key that they do not show may have been used; null if it was not, or nothing was lost
   */
  async takeUp(): Promise<ApiError | null> {
    if (!this.journal.trust.replacesLost || this.isWhole) return null;
    try {
      return (await this.take()).doubt;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /**
   * Reads the books anew and takes up their keys.
   * @returns the number of orders without a request and a tag, whose keys cannot be known, and why the books may lack orders
   * @throws ApiError terminal_unavailable, reconnect_cooldown or account_not_synchronized
   */
  async takeUpNow(): Promise<{ readonly untagged: number; readonly doubt: ApiError | null }> {
    const { books, doubt } = await this.take().catch((error: unknown) => {
      this.journal.lostKeys.doubt();
      throw error;
    });
    return { untagged: ordersWithoutTag(books, (ticket) => this.journal.claim(ticket)), doubt };
  }

  /** Why the books that were read last may lack keys of a lost journal; null if they do not, or none was lost. */
  get doubt(): ApiError | null {
    return this.journal.trust.replacesLost && !this.isWhole ? this.lastDoubt : null;
  }

  /** An operator accepts that the books of the account show everything, until the gateway ends. */
  believe(): void {
    this.believed.add(this.terminal.login);
  }

  private get isWhole(): boolean {
    return this.journal.lostKeys.isWhole(this.terminal.login);
  }

  private take(): Promise<ReadBooks> {
    return (this.taking ??= this.takeNow().finally(() => (this.taking = null)));
  }

  private async takeNow(): Promise<ReadBooks> {
    const { login } = this.terminal;
    const read = await this.read();
    if (login !== this.terminal.login) throw notWhole('another account was logged in during the read');
    this.journal.lostKeys.take(read.books, login, read.doubt === null);
    return read;
  }

  private async settle(): Promise<void> {
    await this.journal.trust.settle();
    // A request under such a key repeats it, and reports why it failed.
    await this.takeUp().catch(() => undefined);
  }

  /** A terminal may show an order late, and a key that it shows is used, whatever was believed before. */
  private async lookAgain(): Promise<void> {
    if (!this.session.isConnected) return;
    await this.journal.trust.settle();
    const isOver = this.wholeSinceMs !== null && this.clock.monotonicMs() - this.wholeSinceMs > steadyMs;
    if (!this.journal.trust.replacesLost || (this.isWhole && isOver)) return;
    await this.take().catch(() => undefined);
  }

  private async read(): Promise<ReadBooks> {
    try {
      const read = await this.readWhole();
      this.lastDoubt = read.doubt;
      if (read.doubt === null) this.wholeSinceMs ??= this.clock.monotonicMs();
      return read;
    } catch (error) {
      this.steady.interrupted();
      this.lastDoubt = error instanceof ApiError ? error : null;
      throw error;
    }
  }

  private async readWhole(): Promise<ReadBooks> {
    let books = await this.readOnce();
    let doubt = booksDoubt(books);
    for (let looks = 1; looks < looksWanted && doubt !== null; looks++) {
      books = await this.readOnce();
      doubt = booksDoubt(books);
    }
    const { unexplained } = this.terminal;
    if (unexplained !== null) this.steady.interrupted();
    const isSteady = unexplained === null && this.steady.note(books, this.clock.monotonicMs()) >= steadyMs;
    const isBelieved = this.believed.has(this.terminal.login) || (isSteady && doubt?.isContradiction === false);
    return { books, doubt: unexplained ?? (doubt === null || isBelieved ? null : notWhole(doubt.reason)) };
  }

  private async readOnce(): Promise<AccountBooks> {
    const nowS = Math.floor(this.brokerClock.nowMs() / 1_000);
    const fromS = Math.max(0, nowS - lookbackS);
    const before = await this.terminal.readAccount();
    const rows = await this.terminal.read(async (terminal) => {
      const [positions, pending] = [await terminal.positionsGet(), await terminal.ordersGet()];
      const orders = [...pending, ...(await terminal.historyOrdersGet({ from: fromS, to: latestDateS }))];
      const allDeals: TradeDeal[] = await terminal.historyDealsGet({ from: 0, to: latestDateS });
      return { positions, orders, deals: allDeals.filter(({ time }) => time >= fromS), allDeals };
    });
    const after = await this.terminal.readAccount();
    return { ...rows, fromS, balances: [before.balance, after.balance], moneyDigits: after.currency_digits };
  }
}

function notWhole(reason: string): ApiError {
  return accountNotSynchronized(new NotSynchronizedError(reason));
}

function traceOf(kind: string, rows: readonly { readonly ticket: number; readonly comment: string }[]): string | null {
  const tagged = rows.find(({ comment }) => tagPattern.test(comment));
  return tagged ? `${kind} ${tagged.ticket}, which carries the tag of a key` : null;
}
