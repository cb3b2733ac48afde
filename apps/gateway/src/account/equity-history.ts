import { Logger } from '@nestjs/common';
import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { StoreOpenError, StoreWriteError } from '@libs/store';
import type { TerminalAccess } from '../terminal/terminal-access';
import type { EquityRequest } from './account.request';
import type { EquityResponse } from './account.response';
import { endOfSpan, type EquityReading, type EquityStore } from './equity.store';

/** Milliseconds from one reading to the next. */
export const recordEveryMs = 60_000;

/**
 * Records balance and equity while the account is explained, and returns what was recorded. Nothing of it is in the way of a trade:
 * a disk that does not take a reading costs that reading alone.
 */
export class EquityHistory {
  private readonly logger = new Logger('equity');
  /** Why the newest reading is not on disk; null if nothing is wrong. */
  private problem: string | null = null;
  private isRecording = false;
  private readonly store: EquityStore | null;

  /**
   * @param open opens the record on disk; one that cannot be opened leaves the gateway without it
   * @param books names the books of a broker that begins anew with each start; empty for one that keeps them
   */
  constructor(
    open: () => EquityStore,
    private readonly terminal: TerminalAccess,
    private readonly clock: Clock,
    private readonly books: string,
  ) {
    this.store = this.opened(open);
  }

  /** Takes one reading. An account that is not explained, or not logged in, leaves a gap. */
  async record(): Promise<void> {
    if (this.isRecording || this.store === null || this.terminal.login === null) return;
    this.isRecording = true;
    try {
      const account = await this.terminal.readExplainedAccount();
      const { login, server, balance, equity } = account;
      await this.keep(this.store, this.nameOf({ login, server }), { atMs: this.clock.nowMs(), balance, equity });
    } catch (error) {
      // As GET /account answers: the gap is what is known.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.isRecording = false;
    }
  }

  /**
   * A page of the readings of the account that is logged in.
   * @throws ApiError reconnect_cooldown or terminal_unavailable without a session; journal_unavailable if the record could not be opened
   */
  async page({ sinceMs, limit, everyMs }: EquityRequest): Promise<EquityResponse> {
    const { login, server } = await this.terminal.readAccount();
    if (this.store === null) throw new ApiError('journal_unavailable', this.problem ?? 'the record cannot be used');
    const rows = this.store.after(this.nameOf({ login, server }), sinceMs, everyMs, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isWhole = rows.length === page.length || last === undefined;
    return {
      ok: true,
      data: page.map(({ atMs, balance, equity }) => ({ at: timeText(atMs), balance, equity })),
      total: page.length,
      next_since: isWhole ? null : timeText(endOfSpan(last.atMs, everyMs)),
      problem: this.problem,
    };
  }

  async close(): Promise<void> {
    await this.store?.close();
  }

  private async keep(store: EquityStore, account: string, reading: EquityReading): Promise<void> {
    try {
      if (!store.condition.writable) await store.probe();
      await store.add(account, reading);
      if (this.problem !== null) this.logger.log('balance and equity are recorded again');
      this.problem = null;
    } catch (error) {
      if (!(error instanceof StoreWriteError)) throw error;
      this.report(`balance and equity are not recorded: ${error.message}`);
    }
  }

  private opened(open: () => EquityStore): EquityStore | null {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof StoreOpenError)) throw error;
      this.report(`balance and equity are not recorded: ${error.message}`);
      return null;
    }
  }

  private report(problem: string): void {
    if (this.problem === null) this.logger.warn(problem);
    this.problem = problem;
  }

  private nameOf({ login, server }: { readonly login: number; readonly server: string }): string {
    return [server, login, ...(this.books === '' ? [] : [this.books])].join('/');
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
