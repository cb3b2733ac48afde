import {
  GatewayClient,
  GatewayReadError,
  machineEdge,
  type AccountFactsRecord,
  type AccountRecord,
  type ClientEdge,
  type HealthReport,
} from '@libs/gateway-client';
import type { Account } from '@libs/strategy';
import { AccountMarginMode } from '@libs/trade-constants';
import type { LostStop } from '../core/lost-stops';
import {
  accountOf,
  accountStateOf,
  lostStopsOf,
  unknownAccount,
  unreachableAccount,
  type AccountState,
} from './account-state';
import { tradeModes, type GatewaySpec } from '../daemon-file/daemon-file';

/** The report of an account's money reads it before the snapshot of the books, which then need not. */
const moneyLastsMs = 100;

/** What an account is, apart from its money. */
export type AccountFacts = Pick<AccountRecord, 'login'> & AccountFactsRecord;

/** The account behind a gateway is not the expected one, or has changed. */
export class AccountMismatchError extends Error {}

/** The key of a gateway may only read, so no strategy can trade through it. */
class ReadOnlyKeyError extends Error {}

/** The daemon's connection to one gateway: its client, its account, and whether it is reachable. */
export class GatewaySession {
  readonly name: string;
  /** Every request of it names the account it is meant for, so that another one behind the address answers nothing. */
  readonly client: GatewayClient;
  reachable = false;
  /** Connected to the broker and not halted by the kill switch. */
  ready = false;
  /** Why it was not ready when it was last read; null if it was, or was not read. */
  notReady: string | null = null;
  lastError: string | null = null;
  account: AccountFacts | null = null;
  /** The money of the account when it was last read; null before that, and after a read that failed. */
  money: Account | null = null;
  /** Floating profit of the account, read with {@link money}; null as that is. */
  floatingProfit: number | null = null;
  /** When {@link money} was read, on a monotonic clock in milliseconds. */
  private moneyMs = -Infinity;
  private isReadingMoney = false;
  private verifying: Promise<AccountFacts> | null = null;
  /** Id of the account's trade journal as of the last snapshot; null while it is unknown. */
  journalId: string | null = null;
  private told: AccountState = unknownAccount;
  /** Why entries through it are denied permanently; null while its account is the right one. */
  mismatch: string | null = null;
  /** Why its key cannot trade; null while it can, and before the gateway was asked. */
  keyProblem: string | null = null;

  /** Without an expected account: it reads which one is logged in. */
  private readonly observer: GatewayClient;

  constructor(
    private current: GatewaySpec,
    apiKey: string,
    edge: ClientEdge = machineEdge,
  ) {
    this.name = current.name;
    const options = { baseUrl: current.url, apiKey, readAttempts: 2, readBackoffMs: 50, edge };
    this.observer = new GatewayClient(options);
    this.client = new GatewayClient({ ...options, expectedLogin: () => this.expectedLogin });
  }

  /** Login of the account that requests are meant for; null before it is known. */
  get expectedLogin(): number | null {
    return this.current.expect.login ?? this.account?.login ?? null;
  }

  /** Whether each order opens a position of its own on the account; false on a netting account, and before it is known. */
  get isHedging(): boolean {
    return this.account?.margin_mode === AccountMarginMode.RETAIL_HEDGING;
  }

  get spec(): GatewaySpec {
    return this.current;
  }

  /** Why the known account does not meet another expectation; null if it does. */
  wouldMismatch({ expect }: GatewaySpec): string | null {
    return this.account === null ? null : this.mismatchOf(this.account, expect);
  }

  /** Takes over another allowance or expectation; where it leads to stays. */
  respec(spec: GatewaySpec): void {
    this.current = spec;
  }

  /** Maximum clock skew of its prices for entries; null if unlimited. */
  get maxClockSkewMs(): number | null {
    return this.current.maxClockSkewMs;
  }

  /** Whether the account behind it may be believed, as the gateway says. */
  get accountState(): AccountState {
    if (this.reachable || this.told === unknownAccount) return this.told;
    return unreachableAccount;
  }

  /** Stop-losses that are not those that were set; none while the account is not explained. */
  get lostStops(): readonly LostStop[] {
    return lostStopsOf(this.accountState);
  }

  /** Why entries through it are denied until the configuration changes; null if they are not. */
  get entryProblem(): string | null {
    return this.mismatch ?? this.keyProblem;
  }

  /**
   * Reads the account and holds it against what is expected, and asks whether the key may trade. Strategies that start at
   * the same time share the reads.
   * @throws GatewayReadError, AccountMismatchError, ReadOnlyKeyError
   */
  verify(): Promise<AccountFacts> {
    return (this.verifying ??= this.verified().finally(() => (this.verifying = null)));
  }

  private async verified(): Promise<AccountFacts> {
    try {
      const account = await this.readFacts();
      this.check(account);
      this.account ??= account;
      this.checkKey(await this.observer.reads.health());
      if (this.keyProblem !== null) throw new ReadOnlyKeyError(this.keyProblem);
      this.succeeded();
      return account;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  /**
   * While the money of an account is not explained, its positions may be, and exits pass: then the gateway still says which account
   * it is.
   */
  private async readFacts(): Promise<AccountFacts> {
    try {
      return await this.observer.reads.account();
    } catch (error) {
      if (!(error instanceof GatewayReadError) || error.errorType !== 'account_not_synchronized') throw error;
      const { account: login, account_facts: facts } = await this.observer.reads.health();
      if (login === null || facts == null) throw error;
      return { login, ...facts };
    }
  }

  /**
   * Reads the health of the gateway, and checks that the account behind it is still the expected one.
   * @throws GatewayReadError, AccountMismatchError
   */
  async look(): Promise<void> {
    const health = await this.observer.reads.health();
    this.checkKey(health);
    // It answers, also while it refuses other reads.
    this.reachable = true;
    this.told = accountStateOf(health);
    this.notReady = notReadyOf(health);
    this.ready = this.notReady === null;
    if (this.account !== null && health.account !== null) this.check({ ...this.account, login: health.account });
    // The journal of a gateway that is not logged in may be that of another account.
    if (health.account !== null) this.journalId = health.journal.id;
  }

  /** Takes over the money of an account that was read. @param nowMs of a monotonic clock */
  takeMoney(account: AccountRecord, nowMs: number): void {
    this.money = accountOf(account);
    this.floatingProfit = account.profit;
    this.moneyMs = nowMs;
  }

  /**
   * Begins to read the money of the account, unless a read is under way or was lately. Nothing waits for it: positions and
   * orders do not depend on it.
   * @param nowMs of a monotonic clock
   */
  readMoney(nowMs: number): void {
    if (this.isReadingMoney || nowMs - this.moneyMs < moneyLastsMs) return;
    this.isReadingMoney = true;
    void this.client.reads
      .account()
      .catch(() => null)
      .then((account) => {
        this.money = account && accountOf(account);
        this.floatingProfit = account && account.profit;
        this.isReadingMoney = false;
      });
  }

  succeeded(): void {
    this.reachable = true;
    this.lastError = this.entryProblem;
  }

  /** Notes that a call had no answer. A refusal is an answer. */
  failed(error: unknown): void {
    if (error instanceof GatewayReadError && error.errorType === 'account_mismatch') {
      this.mismatch = `${this.name}: ${error.message}`;
    }
    this.lastError = this.entryProblem ?? (error instanceof Error ? error.message : String(error));
    if (error instanceof GatewayReadError && error.failure !== 'refused') this.reachable = false;
    if (this.lastError !== null) this.ready = false;
  }

  /** A gateway of version 0.1.0 does not report it. */
  private checkKey({ api_key: permits }: HealthReport): void {
    const { apiKeyEnv } = this.current;
    this.keyProblem = permits === 'read_only' ? `the key in ${apiKeyEnv} is read-only and cannot trade` : null;
  }

  private check(account: AccountFacts): void {
    this.mismatch = this.mismatchOf(account, this.current.expect);
    if (this.mismatch !== null) throw new AccountMismatchError(this.mismatch);
  }

  private mismatchOf(account: AccountFacts, { login, tradeMode }: GatewaySpec['expect']): string | null {
    const mode = tradeModes[account.trade_mode] ?? `mode ${account.trade_mode}`;
    const expected = login ?? this.account?.login ?? account.login;
    if (account.login !== expected) return `the account behind ${this.name} is ${account.login}, expected ${expected}`;
    if (tradeMode === null || mode === tradeMode) return null;
    return `the account behind ${this.name} is a ${mode} account, expected ${tradeMode}`;
  }
}

function notReadyOf({ terminal_status: terminal, kill_switch_active: isHalted }: HealthReport): string | null {
  if (isHalted) return 'the kill switch is active';
  return terminal === 'connected' ? null : `the terminal is ${terminal}`;
}
