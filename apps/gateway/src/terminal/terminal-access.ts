import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { obstacleRetcode, obstacleText, type TradingObstacle } from '@libs/order-drafts';
import {
  LastErrorCode,
  retcodeName,
  TerminalUnavailableError,
  type AccountInfo,
  type HistoryQuery,
  type ListFilter,
  type PushedChanges,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import {
  dealsForClient,
  doneOrdersForClient,
  listsForClient,
  rowsForClient,
  type AccountLists,
} from '../account-evidence/evident-terminal';
import { explainedAccount } from '../account-evidence/explained-account';
import { notSynchronized, NotSynchronizedError } from '../account-evidence/not-synchronized.error';
import { SessionUnavailableError } from '../terminal-session/session-unavailable.error';
import { TerminalSession } from '../terminal-session/terminal-session';
import { SHOWN_TERMINAL } from './shown-terminal';

/** Gives requests access to the terminal of a verified session, and converts every failure to an API error. */
@Injectable()
export class TerminalAccess {
  constructor(
    private readonly session: TerminalSession,
    private readonly evidence: AccountEvidence,
    @Inject(SHOWN_TERMINAL) private readonly shown: TerminalClient,
  ) {}

  /**
   * The terminal of a verified session.
   * @throws ApiError reconnect_cooldown or terminal_unavailable, at once
   */
  async connected(): Promise<TerminalClient> {
    try {
      return await this.session.requireConnected();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * The terminal, if this account is logged in; null means any account.
   * @throws ApiError account_mismatch, reconnect_cooldown or terminal_unavailable
   */
  async connectedTo(login: number | null): Promise<TerminalClient> {
    const terminal = await this.connected();
    this.refuseOther(login);
    return terminal;
  }

  /**
   * The terminal, just verified to be logged in to the right account; for sends.
   * @param login the expected account; null means the gateway's account
   * @throws ApiError account_mismatch, reconnect_cooldown or terminal_unavailable; nothing was sent
   */
  async confirmed(login: number | null = null): Promise<TerminalClient> {
    try {
      const terminal = await this.session.confirm();
      this.refuseOther(login);
      return terminal;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** What keeps every order from being taken, as the terminal stated it at the last probe; null if nothing does. */
  get tradingObstacle(): TradingObstacle | null {
    return this.session.tradingObstacle;
  }

  /**
   * Refuses an entry that the terminal, or the account, cannot make. A known obstacle is read again, because it may have
   * been removed. Exits are not refused: the broker decides.
   * @throws ApiError broker_rejected; reconnect_cooldown or terminal_unavailable without a session
   */
  async requireTradable(): Promise<void> {
    if (this.tradingObstacle === null) return;
    await this.confirmed();
    const { tradingObstacle: obstacle } = this;
    if (obstacle === null) return;
    throw new ApiError('broker_rejected', obstacleText(obstacle), {
      details: { retryable: false, reason: obstacle },
      terminalError: statedBeforehand(obstacle),
    });
  }

  /** Login of the current session's account; null without a session. */
  get login(): number | null {
    return this.session.login;
  }

  /**
   * Why nothing may be sent since {@link confirmed}, from known state without a call: the session was lost or
   * belongs to another account. Null if sending is allowed.
   * @param login the account that was confirmed
   */
  leftSince(login: number | null): ApiError | null {
    if (!this.session.isConnected) return unavailable(this.session.unavailable());
    return login === this.login ? null : otherAccount(login, this.login);
  }

  /** Decimals of the currency of the session's account; undefined without a session. */
  get currencyDigits(): number | undefined {
    return this.session.currencyDigits;
  }

  /** Whether the session was verified so lately that a read needs no probe. */
  get isVerified(): boolean {
    return this.session.isVerified;
  }

  /** The changes of the account as the terminal reports them; null from a terminal that has to be polled. */
  get pushes(): PushedChanges | null {
    return this.session.pushes;
  }

  /** Reports a failure to the session that the caller handles itself. */
  reportFailure(error: unknown): void {
    this.session.reportFailure(error);
  }

  /**
   * Runs one read. A failed read is an error, never an empty answer.
   * @throws ApiError reconnect_cooldown or terminal_unavailable
   */
  async read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T> {
    try {
      const terminal = this.session.requireConnected();
      // Most reads find a verified session, and need not wait for it.
      return await call(terminal instanceof Promise ? await terminal : terminal);
    } catch (error) {
      this.session.reportFailure(error);
      throw unavailable(error);
    }
  }

  /**
   * Runs one read of the lists as they are shown, explained or not.
   * @throws ApiError reconnect_cooldown or terminal_unavailable
   */
  readShown<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T> {
    return this.read(() => call(this.shown));
  }

  /**
   * Requires that the account is explained, for what may rely on it: entries, and statements that something is not there.
   * @throws ApiError account_not_synchronized; reconnect_cooldown or terminal_unavailable without a session
   */
  async requireExplained(): Promise<void> {
    await this.connected();
    try {
      await this.evidence.require();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * Looks at the account now. Call this before you state that nothing is open: the last look may be older than an order.
   * @returns why there may be more than the lists show; null if the look explained the account
   * @throws ApiError reconnect_cooldown or terminal_unavailable without a session
   */
  async lookAnew(): Promise<ApiError | null> {
    await this.connected();
    const error = await this.evidence.lookAnew();
    return error && accountNotSynchronized(error);
  }

  /** What the last look did not explain, as the error of a read; null if the account is explained. */
  get unexplained(): ApiError | null {
    const error = this.evidence.error;
    return error && accountNotSynchronized(error);
  }

  /**
   * Requires that a position is not shown as it was before an acknowledged close, on an account that nets: there a further close would
   * open the opposite position. On a hedging account, the broker refuses it.
   * @throws ApiError account_not_synchronized
   */
  requireNotClosed(position: TradePosition): void {
    const unshown = this.isHedging ? null : this.evidence.unshownCloseOf(position);
    if (unshown) throw accountNotSynchronized(notSynchronized([unshown]));
  }

  /** Whether each position of the account is closed by its ticket; false without a session. */
  get isHedging(): boolean {
    return this.session.isHedging;
  }

  /** The positions for a client: with all that the broker has acknowledged. @throws as {@link read} */
  positions(filter: ListFilter = {}): Promise<TradePosition[]> {
    return this.read((terminal) => rowsForClient(this.evidence, filter, () => terminal.positionsGet(filter)));
  }

  /** The active orders for a client: with all that the broker has acknowledged. @throws as {@link read} */
  orders(filter: ListFilter = {}): Promise<TradeOrder[]> {
    return this.read((terminal) => rowsForClient(this.evidence, filter, () => terminal.ordersGet(filter)));
  }

  /** Deals of the history for a client: with all that the broker has acknowledged. @throws as {@link read} */
  historyDeals(query: HistoryQuery): Promise<TradeDeal[]> {
    return this.read((terminal) => dealsForClient(this.evidence, query, () => terminal.historyDealsGet(query)));
  }

  /** Orders of the history for a client: with all that the broker has acknowledged. @throws as {@link read} */
  historyOrders(query: HistoryQuery): Promise<TradeOrder[]> {
    return this.read((terminal) => doneOrdersForClient(this.evidence, query, () => terminal.historyOrdersGet(query)));
  }

  /** All lists for a client, as {@link positions} and {@link historyDeals}. @param read reads them of a terminal */
  lists<Lists extends AccountLists>(
    span: { readonly from: number; readonly to: number },
    read: (terminal: TerminalClient) => Promise<Lists>,
  ): Promise<Lists> {
    return this.read((terminal) => listsForClient(this.evidence, span, () => read(terminal)));
  }

  /** Whether the account was known before this session. */
  get isReturning(): boolean {
    return this.evidence.isReturning;
  }

  /** The open positions as they were last explained. */
  knownPositions(): TradePosition[] {
    return [...(this.evidence.account?.positions.entriesOf(null) ?? [])].map(([, { record }]) => record);
  }

  /** The active orders as they were last explained. */
  knownOrders(): TradeOrder[] {
    return [...(this.evidence.account?.orders.entriesOf(null) ?? [])].map(([, order]) => order);
  }

  /**
   * Reads the account of the session, if its money is explained.
   * @throws ApiError account_not_synchronized; otherwise as {@link readAccount}
   */
  readExplainedAccount(): Promise<AccountInfo> {
    return this.read((terminal) => explainedAccount(() => this.session.readAccount(), terminal, this.evidence));
  }

  /**
   * Reads the account of the session as it is shown, explained or not.
   * @throws ApiError reconnect_cooldown or terminal_unavailable, also if another account is logged in, or none
   */
  readAccount(): Promise<AccountInfo> {
    return this.read(() => this.session.readAccount());
  }

  /**
   * Asks the terminal now whether it has its server, and for the account of the session.
   * @throws ApiError reconnect_cooldown or terminal_unavailable
   */
  async probe(): Promise<AccountInfo> {
    try {
      return await this.session.confirmAccount();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** @throws ApiError account_mismatch if another account than this one was logged in last; null means any */
  refuseOther(login: number | null): void {
    if (login !== null && login !== this.login) throw otherAccount(login, this.login);
  }
}

/** The return code that the terminal has for what it states before a send. */
function statedBeforehand(obstacle: TradingObstacle): object {
  const retcode = obstacleRetcode(obstacle);
  const comment = 'not sent: the terminal states it beforehand';
  return retcode === null
    ? { code: LastErrorCode.AUTO_TRADING_DISABLED, message: comment }
    : { retcode, retcode_name: retcodeName(retcode), comment };
}

function otherAccount(expected: number | null, actual: number | null): ApiError {
  return new ApiError(
    'account_mismatch',
    `the request is for account ${expected}; the logged-in account is ${actual ?? 'unknown'}`,
    { details: { expected, actual } },
  );
}

function unavailable(error: SessionUnavailableError): ApiError;
function unavailable(error: unknown): unknown;
function unavailable(error: unknown): unknown {
  if (error instanceof SessionUnavailableError) {
    return new ApiError(error.reason === 'cooldown' ? 'reconnect_cooldown' : 'terminal_unavailable', error.message, {
      details: {
        reason: error.reason,
        ...(error.problem === null ? {} : { problem: error.problem.kind }),
        ...(error.settings.length === 0 ? {} : { settings: error.settings }),
      },
      ...(error.problem === null ? {} : { terminalError: error.problem.lastError }),
      ...(error.retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(error.retryAfterSeconds) } }),
    });
  }
  if (error instanceof NotSynchronizedError) return accountNotSynchronized(error);
  if (error instanceof TerminalUnavailableError) {
    return new ApiError('terminal_unavailable', `the read of the terminal failed: ${error.lastError.message}`, {
      details: { reason: error.failure },
      terminalError: error.lastError,
      cause: error,
    });
  }
  return error;
}

/** The answer of a request that needs an account that is not explained. */
export function accountNotSynchronized(error: NotSynchronizedError): ApiError {
  const { reason, tickets } = error;
  return new ApiError('account_not_synchronized', error.lastError.message, {
    details: { reason, tickets },
    headers: { 'retry-after': '1' },
    cause: error,
  });
}
