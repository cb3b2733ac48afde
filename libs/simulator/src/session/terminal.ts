import {
  type AccountChange,
  type AccountInfo,
  type Credentials,
  type OrderSendResult,
  Retcode,
  TradeAction,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AccountOptions } from '../simulator-options';
import { type Refusal, refusal, retcodeComment } from '../trading/refusal';
import { answer, type ServerAnswer } from '../trading/server-answer';
import type { FillTerms } from '../trading/market-orders';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import { exact } from '../money/decimals';
import { accountRecord } from './account-record';
import type { Broker } from './broker';
import { type Fault, type FaultKind, Faults } from './fault';
import { drawnHabits, type HabitChoice } from './drawn-habits';
import { isHabit, isShownFault, ShownFaults } from './shown-faults';
import type { AttachedSession, TerminalHost } from './terminal-surroundings';

type SwitchOwner = 'terminal' | 'server' | 'account';

const noConnection = refusal(Retcode.CONNECTION);

const switchedOff: Readonly<Record<SwitchOwner, Refusal>> = {
  terminal: refusal(Retcode.CLIENT_DISABLES_AT),
  server: refusal(Retcode.SERVER_DISABLES_AT),
  account: refusal(Retcode.TRADE_DISABLED),
};

/** The lists may show something else than before, without a change of the books. */
const shownAnew: AccountChange = { positions: new Set(), orders: new Set(), isWider: true };

/** The simulated terminal: one logged-in account, whatever sessions are attached, and the faults between them. */
export class Terminal {
  readonly faults: Faults;
  /** What the faults make of what sessions show. */
  readonly shown: ShownFaults;
  /** The terminal's own button for trading by programs. */
  algoTrading = true;
  private currentLogin: number | null = null;
  private readonly sessions = new Set<AttachedSession>();
  private requests = 0;
  /** Sessions so far. */
  private started = 0;

  /** @param habits null for a broker without */
  constructor(
    readonly account: AccountOptions,
    private readonly host: TerminalHost,
    private readonly habits: HabitChoice | null = null,
  ) {
    this.faults = new Faults({ onSet: (fault) => this.onFault(fault), onCleared: (kind) => this.onFaultCleared(kind) });
    this.shown = new ShownFaults(
      this.faults,
      (broker) => this.accountOf(broker, this.currentLogin ?? account.login),
      () => this.host.brokerNow(),
    );
  }

  /** A session can be attached: the simulator runs, and no fault cuts it off. */
  get isReachable(): boolean {
    return this.host.brokerNow() !== null && this.faults.peek('disconnected') === null;
  }

  /** The account that is logged in, or null. */
  get loggedIn(): number | null {
    return this.currentLogin;
  }

  /** The broker at this instant. @throws Error while the simulator is not running */
  brokerNow(): Broker {
    const broker = this.host.brokerNow();
    if (!broker) throw new Error('the simulator is not running');
    return broker;
  }

  /** The terminal has a connection to the trade server, with an account. */
  get isConnected(): boolean {
    return this.currentLogin !== null && this.faults.peek('server-lost') === null;
  }

  /** The account's record as the session shows it, of the login that there is. */
  accountNow(login: number): AccountInfo {
    const broker = this.brokerNow();
    const standing = this.shown.account;
    return standing ? { ...standing.account, login } : this.accountOf(broker, login);
  }

  /** Number of changes of the account's books; null while a fault may hide what happened, or another account is logged in. */
  get revision(): number | null {
    if (!this.faults.isEmpty || this.currentLogin !== this.account.login) return null;
    return this.host.brokerNow()?.book.revision ?? null;
  }

  /** {@link revision}, and the number of quotes that the account depends on. */
  get priceRevision(): number | null {
    const { revision } = this;
    const broker = revision === null ? null : this.host.brokerNow();
    return broker && broker.book.revision + broker.market.revision;
  }

  /** Milliseconds until the first of the symbols can have another quote; null if unknown, and as {@link revision}. */
  quoteDueMs(symbols: readonly string[]): number | null {
    const broker = this.revision === null ? null : this.host.brokerNow();
    return broker && this.host.untilMs(broker.market.nextQuoteMs(symbols));
  }

  /** Reports a change of the account to every session. */
  announce(change: AccountChange): void {
    this.shown.changed();
    for (const session of this.sessions) session.changed(change);
  }

  attach(session: AttachedSession): void {
    this.sessions.add(session);
    this.started += 1;
    if (this.habits?.kind === 'drawn') this.setHabits(drawnHabits(this.habits.seed, this.started));
    this.shown.sessionBegan();
  }

  /** The habits that the broker has from its start. */
  beginHabits(): void {
    if (this.habits?.kind === 'fixed') this.setHabits(this.habits.habits);
  }

  detach(session: AttachedSession): void {
    if (this.sessions.delete(session)) this.shown.sessionEnded();
  }

  /** Logs in; false when the credentials are not the account's. */
  login({ login, password, server }: Pick<Credentials, 'login' | 'password' | 'server'>): boolean {
    const { account } = this;
    const ok = login === account.login && password === account.password && server === account.server;
    if (!ok || this.faults.peek('login-refused')) return false;
    this.currentLogin = login;
    return true;
  }

  /** Logs the configured account in, as a login by hand in the terminal's window does. */
  loginByHand(): void {
    this.currentLogin = this.account.login;
  }

  logout(): void {
    this.currentLogin = null;
  }

  /** Ends every session, as when the terminal goes away. */
  dropSessions(reason: string): void {
    for (const session of [...this.sessions]) session.drop(reason);
  }

  /** The refusal of a trading switch, or null while it is on. */
  tradingOff(by: SwitchOwner): Refusal | null {
    const isOff = this.faults.peek('trading-off')?.by === by || (by === 'terminal' && !this.algoTrading);
    return isOff ? switchedOff[by] : null;
  }

  /** The terminal's option that keeps programs from trading: its package then sends nothing. */
  get isClosedToPrograms(): boolean {
    return this.faults.peek('trading-off')?.by === 'api';
  }

  latencyMs(calls: 'reads' | 'sends'): number {
    const fault = this.faults.peek('latency');
    return fault && (fault.calls ?? 'all') !== (calls === 'reads' ? 'sends' : 'reads') ? fault.ms : 0;
  }

  /** False when what is done could not be kept: then nothing may be. */
  get canTrade(): boolean {
    return this.host.canSave();
  }

  /** Puts a request before the trade server and numbers its answer. */
  trade(asked: TradeRequest, isChecked = false): OrderSendResult {
    const broker = this.brokerNow();
    const request = this.withServersLevels(this.understood(asked), broker);
    const unquoted = broker.unquoted(request);
    const done =
      this.answeredByFault(request) ?? (unquoted ? answer(unquoted, null) : this.carriedOut(request, isChecked));
    this.host.save();
    this.requests++;
    const { retcode, comment, deal, order, volume, price, bid, ask } = done;
    const request_id = this.requests;
    return { retcode, comment, deal, order, volume, price, bid, ask, request_id, retcode_external: 0 };
  }

  /** A request as the terminal understands it: a symbol that it does not know yet is none. */
  understood(request: TradeRequest): TradeRequest {
    return this.shown.knowsSymbol(request.symbol) ? request : { ...request, symbol: '' };
  }

  /** Others than those of the session before. */
  private setHabits(habits: readonly Fault[]): void {
    for (const { kind } of this.faults.list()) if (isHabit(kind)) this.faults.clear(kind);
    for (const habit of habits) this.faults.set(habit);
  }

  private accountOf({ account, server }: Broker, login: number): AccountInfo {
    return accountRecord(account, login, server.valuation, {
      account: this.tradingOff('account') === null,
      server: this.tradingOff('server') === null,
    });
  }

  private carriedOut(request: TradeRequest, isChecked: boolean): ServerAnswer {
    const isMarketOrder = request.action === TradeAction.DEAL;
    const slippage = this.faults.strike('slippage', () => isMarketOrder);
    const terms = slippage ? { slippagePoints: slippage.points } : { isChecked };
    return this.brokerNow().server.send(request, { ...terms, ...this.replacement });
  }

  private withServersLevels(request: TradeRequest, { market, book }: Broker): TradeRequest {
    const fault = this.faults.peek('levels');
    if (!fault) return request;
    const name = request.symbol || (book.positions.get(request.position) ?? book.orders.get(request.order))?.symbol;
    const symbol = name === undefined ? undefined : market.symbols.get(name);
    return symbol ? withLevels(fault, request, pointOf(symbol.spec)) : request;
  }

  /** How the server changes pending orders. */
  private get replacement(): FillTerms {
    return this.faults.peek('replaced-orders') ? { replacesOrders: true } : {};
  }

  private answeredByFault(request: TradeRequest): ServerAnswer | null {
    const off = this.tradingOff('terminal') ?? this.tradingOff('account') ?? this.tradingOff('server');
    if (off) return answer(off, null);
    const lost = this.faults.peek('server-lost');
    if (lost?.acts) this.brokerNow().server.send(request, this.replacement);
    if (lost) return answer(noConnection, null);
    const forced = this.faults.strike('retcode', ({ action }) => action === undefined || action === request.action);
    if (!forced) return null;
    const { retcode, comment = retcodeComment(retcode), acts = false } = forced;
    const { server, market } = this.brokerNow();
    const symbol = market.symbols.get(request.symbol);
    const isPartial = retcode === Retcode.DONE_PARTIAL;
    const done = acts
      ? server.send(request, isPartial && symbol ? { mostLots: partOf(request.volume, symbol.spec) } : this.replacement)
      : {};
    const namesIt = isPartial || retcode === Retcode.PLACED;
    return answer({ retcode, comment }, symbol ? market.quote(symbol) : null, namesIt ? done : {});
  }

  private onFault(fault: Fault): void {
    this.shown.began(fault);
    if (isShownFault(fault.kind)) this.announce(shownAnew);
    const market = this.host.brokerNow()?.market;
    switch (fault.kind) {
      case 'frozen-quotes':
        market?.freeze(fault.symbols ?? null);
        break;
      case 'clock-offset':
        market?.clock.shiftFrom(market.nowMs, fault.seconds);
        break;
      case 'disconnected':
        this.dropSessions('the terminal cannot be reached');
        break;
      case 'logged-out':
        this.logout();
        break;
      case 'other-account':
        this.currentLogin = fault.login;
        break;
      default:
        break;
    }
  }

  private onFaultCleared(kind: FaultKind): void {
    this.shown.ended(kind);
    if (isShownFault(kind)) this.announce(shownAnew);
    const market = this.host.brokerNow()?.market;
    if (kind === 'frozen-quotes') market?.freeze([]);
    if (kind === 'clock-offset') market?.clock.shiftFrom(0, 0);
  }
}

/** About half of a volume, on the symbol's grid; all of it when no part can be filled. */
function partOf(volume: number, { volume_min, volume_step }: SymbolSpec): number {
  const half = exact(volume).div(2).div(volume_step).floor().mul(volume_step).toNumber();
  return half >= volume_min ? half : volume;
}

/** A request with the levels that a server makes of those that it is sent. */
function withLevels(
  { points, moved = false }: Extract<Fault, { readonly kind: 'levels' }>,
  request: TradeRequest,
  point: number,
): TradeRequest {
  const step = exact(point).mul(points);
  const made = (level: number): number => {
    if (level === 0) return 0;
    return (moved ? exact(level).add(step) : exact(level).toNearest(step)).toNumber();
  };
  return { ...request, sl: made(request.sl), tp: made(request.tp) };
}
