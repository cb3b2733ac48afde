import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { latestDateS } from '@libs/terminal-client';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';
import { TerminalSession } from '../terminal-session/terminal-session';
import type { AccountTraces } from './journal-trust';
import { tagPattern } from './key-marks';
import { ordersWithoutTag, type AccountRows } from './lost-keys';
import { TradeJournal } from './trade-journal';

const dayS = 86_400;
/** Retention of the journal's intents, plus a day for the server's time zone. */
const lookbackS = 36 * dayS;

/**
 * Searches the account for positions, orders and deals with the tag of a key, which only a journal creates: they show that a journal
 * was lost, and which keys it had.
 */
@Injectable()
export class TaggedTraces implements AccountTraces, OnModuleInit {
  private taking: Promise<number> | null = null;

  constructor(
    private readonly journal: TradeJournal,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalAccess,
    private readonly brokerClock: BrokerClock,
  ) {}

  /** Before the session starts, so that a new journal is proven at the first connect. */
  onModuleInit(): void {
    this.journal.trust.proveWith(this);
    this.session.onConnected(() => void this.settle());
  }

  async find(): Promise<string | null> {
    const { positions, orders, deals } = await this.read();
    return traceOf('position', positions) ?? traceOf('order', orders) ?? traceOf('deal', deals);
  }

  /**
   * Before a key counts as unused: takes up the keys that the books show, if a journal was lost before this one.
   * @returns why that was not possible; null if it was done, or nothing was lost
   */
  async takeUp(): Promise<ApiError | null> {
    if (!this.journal.trust.replacesLost || this.journal.lostKeys.isRead) return null;
    try {
      await (this.taking ??= this.takeUpNow().finally(() => (this.taking = null)));
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /**
   * Reads the books anew and takes up their keys.
   * @returns the number of orders without a request and a tag, whose keys cannot be known
   * @throws ApiError terminal_unavailable, reconnect_cooldown or account_not_synchronized
   */
  async takeUpNow(): Promise<number> {
    const rows = await this.read().catch((error: unknown) => {
      this.journal.lostKeys.forget();
      throw error;
    });
    this.journal.lostKeys.take(rows, this.terminal.login);
    return ordersWithoutTag(rows, (ticket) => this.journal.claim(ticket));
  }

  private async settle(): Promise<void> {
    await this.journal.trust.settle();
    // A request under such a key repeats it, and reports why it failed.
    await this.takeUp().catch(() => undefined);
  }

  private async read(): Promise<AccountRows> {
    const nowS = Math.floor(this.brokerClock.nowMs() / 1_000);
    const window = { from: Math.max(0, nowS - lookbackS), to: latestDateS };
    return this.terminal.read(async (terminal) => {
      const [positions, pending] = [await terminal.positionsGet(), await terminal.ordersGet()];
      const orders = [...pending, ...(await terminal.historyOrdersGet(window))];
      return { positions, orders, deals: await terminal.historyDealsGet(window) };
    });
  }
}

function traceOf(kind: string, rows: readonly { readonly ticket: number; readonly comment: string }[]): string | null {
  const tagged = rows.find(({ comment }) => tagPattern.test(comment));
  return tagged ? `${kind} ${tagged.ticket}, which carries the tag of a key` : null;
}
