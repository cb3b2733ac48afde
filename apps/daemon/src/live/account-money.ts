import type { Clock } from '@libs/clock';
import type { AccountRecord } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import { withRealizedOn } from '../core/records';
import type { DaemonState } from '../state/state-store';
import type { AccountSync } from './account-sync';
import { reportOf, unknownReport, type AccountReport, type Deployed, type RemovedSum } from './account-report';
import type { GatewaySession } from '../gateways/gateway-session';

/** Consecutive reads of an account whose balance changes during a read. */
const mostLooks = 3;

export interface AccountMoneyOptions {
  readonly session: GatewaySession;
  readonly sync: AccountSync;
  readonly store: DaemonState;
  readonly clock: Clock;
  readonly deployed: Deployed;
  /** The configured gateways, by name; changes with the configuration. */
  readonly gateways: ReadonlyMap<string, unknown>;
}

/** Attributes an account's money: to the strategies by their books, and the rest as unattributed. */
export class AccountMoney {
  private current: AccountReport | null = null;
  private looking = false;
  /** Why the last read of the account failed; null if it did not. */
  private unread: string | null = null;
  /** The part of the balance that was attributed to no strategy when that was last known. */
  private unattributed: number | null = null;

  constructor(private readonly options: AccountMoneyOptions) {}

  /** The last snapshot of the account; null until its gateway has answered once. */
  get report(): AccountReport | null {
    const { session } = this.options;
    return this.current ?? (session.account && unknownReport(session.account, 'no snapshot yet'));
  }

  /** Takes a snapshot of the account, for this report and for the books of all strategies. */
  async look(): Promise<void> {
    const { session, sync } = this.options;
    // A slow read of the balance must not delay the snapshot for the books.
    if (this.looking) return sync.now();
    this.looking = true;
    try {
      const found = await this.found();
      if (typeof found !== 'string') this.current = found;
      else this.current = session.account && unknownReport(session.account, found);
    } finally {
      this.looking = false;
    }
  }

  /** The report, or why there is none. */
  private async found(): Promise<AccountReport | string> {
    const { session, sync, clock, deployed } = this.options;
    let hasRechecked = false;
    for (let looksLeft = mostLooks; looksLeft > 0; looksLeft--) {
      // Read the balance before and after everything else: if it is unchanged, all values belong to one moment.
      const before = await this.account();
      const failed = (): string => session.lastError ?? this.unread ?? 'the account could not be read';
      await sync.now();
      const { positions } = sync.seen;
      const removed = this.removed();
      const { strategies } = deployed;
      const report = (account: AccountRecord): AccountReport =>
        reportOf(session.name, { account, positions, asOfMs: clock.nowMs() }, strategies, removed);
      if (session.mismatch !== null) return session.mismatch;
      if (before === null || !sync.current) return failed();
      const divided = report(before);
      const after = await this.account();
      if (after === null) return failed();
      const stoodStill = after.balance === before.balance && after.credit === before.credit;
      if (!stoodStill || after.login !== before.login) continue;
      if (hasRechecked || !this.hasMoved(divided) || !sync.mayCostMore) return this.known(divided);
      // No deal that is booked explains it: some may show what they cost only now.
      hasRechecked = true;
      looksLeft++;
      await sync.recheck();
    }
    return 'the balance changed during the read';
  }

  /** Whether no deal that is booked explains the balance. What an earlier process knew of it is not known. */
  private hasMoved({ unattributed }: AccountReport): boolean {
    return unattributed !== null && unattributed.balance !== this.unattributed;
  }

  private known(report: AccountReport): AccountReport {
    this.unattributed = report.unattributed?.balance ?? this.unattributed;
    return report;
  }

  private async account(): Promise<AccountRecord | null> {
    const { session, clock } = this.options;
    try {
      const account = await session.client.reads.account();
      session.takeMoney(account, clock.monotonicMs());
      this.unread = null;
      return account;
    } catch (error) {
      this.unread = error instanceof Error ? error.message : String(error);
      // The snapshot of the positions detects and reports the outage as well.
      return null;
    }
  }

  /** Realized results on this account of strategies that are no longer deployed. */
  private removed(): RemovedSum {
    const { store, session, gateways, deployed } = this.options;
    const names = new Set(deployed.strategies.map(({ spec }) => spec.name));
    let total = new Decimal(0);
    for (const name of store.strategyNames()) {
      if (names.has(name)) continue;
      try {
        const record = store.strategy(name);
        const realizedOn = record && withRealizedOn(record, [...gateways.keys()]).realizedOn;
        if (record && !realizedOn) return `${name}: its record does not hold results by gateway`;
        total = total.plus(realizedOn?.[session.name] ?? 0);
      } catch (error) {
        return `${name}: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    return total;
  }
}
