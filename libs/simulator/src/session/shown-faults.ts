import { type AccountInfo, latestDateS, OrderType, type TradePosition } from '@libs/terminal-client';
import type { Broker } from './broker';
import type { Fault, FaultKind, Faults, LaggingList } from './fault';
import { accountSums } from './fault-forms';
import { sumRounded } from '../money/decimals';
import { habitKinds, type HabitSurroundings, type PriceOfPosition } from './habits';
import { withoutMoney, withSumsOf } from './account-record';
import { PastLists } from './past-lists';
import type { Shows } from './history-lists';
import { type StandingView, standingView } from './standing-view';

const standingKinds = ['server-lost', 'frozen-account'] as const satisfies readonly FaultKind[];
type StandingKind = (typeof standingKinds)[number];

const isIn = <Kind extends FaultKind>(kinds: readonly Kind[], kind: FaultKind): kind is Kind =>
  kinds.some((each) => each === kind);

/** A fault of this kind changes what a session shows, and not what the broker does. */
export function isShownFault(kind: FaultKind): boolean {
  return isIn(habitKinds, kind) || isIn(standingKinds, kind);
}

/** What a broker may do all the time. */
export const namesOfHabits: readonly FaultKind[] = [
  ...habitKinds,
  ...(['levels', 'replaced-orders', 'late-symbols', 'late-balance', 'zero-sums'] as const),
];

export function isHabit(kind: FaultKind): boolean {
  return namesOfHabits.includes(kind);
}

/** The rows of an earlier instant; null for those of now. */
type PastView = ReturnType<PastLists['at']> | null;

/** What the faults in force make of what a session shows, since when they are set. */
export class ShownFaults {
  /** The earliest first. */
  private readonly views = new Map<StandingKind, StandingView>();
  /** Market time at which the lists began to load, in UTC milliseconds; null if not known yet. */
  private loadingMs: number | null = null;
  /** Market time at which the newest session began, in UTC milliseconds; null before the first. */
  private sessionMs: number | null = null;
  /** What the last session showed at its end; null if that is not known. */
  private lastSession: StandingView | null = null;
  private readonly setAtMsc = new Map<FaultKind, number>();
  private past: PastLists | null = null;
  /** What habits ask of the broker at this instant. */
  readonly around: HabitSurroundings = {
    wasPending: (order) => {
      const [done] = this.brokerNow()?.book.historyOrders.find({ ticket: order }) ?? [];
      return done !== undefined && done.type > OrderType.SELL && done.type <= OrderType.SELL_STOP_LIMIT;
    },
    setAtMsc: (kind) => this.setAtMsc.get(kind) ?? 0,
    loadedShare: () => this.loadedShare,
    sessionAgeMs: () => this.sessionAgeMs,
    nowMsc: () => this.brokerNow()?.market.serverMs ?? 0,
    count: (list) => {
      const before = this.readsOf.get(list) ?? 0;
      this.readsOf.set(list, before + 1);
      return before;
    },
    latePrice: (position, ms) => this.latePrice(position, ms),
  };
  /** Reads of each list since lists began to flicker. */
  private readonly readsOf = new Map<LaggingList, number>();
  /** The prices that positions showed last, by ticket, with the market time of each in UTC milliseconds. */
  private readonly latePrices = new Map<number, { readonly atMs: number; readonly shown: PriceOfPosition }>();

  /**
   * @param accountOf the account's record at this instant
   * @param brokerNow null while the simulator is not running: what was shown is then that of the first read
   */
  constructor(
    private readonly faults: Faults,
    private readonly accountOf: (broker: Broker) => AccountInfo,
    private readonly brokerNow: () => Broker | null,
  ) {}

  /** A fault was set. */
  began(fault: Fault): void {
    const broker = this.brokerNow();
    if (fault.kind === 'flickering-lists') this.readsOf.clear();
    if (fault.kind === 'late-profits') this.latePrices.clear();
    if (fault.kind === 'lists-not-loaded') this.loadingMs = broker?.market.nowMs ?? null;
    if (fault.kind === 'session-start') this.lastSession = this.viewNow();
    if (fault.kind === 'late-lists') this.past = broker && new PastLists(broker, longestMs(fault));
    if (broker) this.setAtMsc.set(fault.kind, broker.market.serverMs);
    if (!isIn(standingKinds, fault.kind)) return;
    this.views.delete(fault.kind);
    this.view(fault.kind);
  }

  /** A fault was cleared. */
  ended(kind: FaultKind): void {
    if (isIn(standingKinds, kind)) this.views.delete(kind);
    if (kind === 'late-lists') this.past = null;
  }

  /** The books changed. */
  changed(): void {
    const broker = this.past && this.brokerNow();
    if (broker) this.past?.note(broker);
  }

  /** A session begins. */
  sessionBegan(): void {
    this.sessionMs = this.brokerNow()?.market.nowMs ?? null;
    if (this.faults.peek('lists-not-loaded')?.untilSession === true) this.faults.clear('lists-not-loaded');
  }

  /** A session has ended. */
  sessionEnded(): void {
    if (this.faults.peek('session-start')) this.lastSession = this.viewNow();
  }

  /** What a session that has just begun still shows of the last one in a list; null once that is loaded. */
  ofLastSession(list: LaggingList): StandingView | null {
    const fault = this.faults.peek('session-start');
    if (fault?.shows !== 'old' || this.isOver(fault) || (fault.lists && !fault.lists.includes(list))) return null;
    return this.lastSession;
  }

  /** The lists as they show late; null while they do not. */
  get late(): { readonly positions: PastView; readonly orders: PastView } | null {
    const fault = this.faults.peek('late-lists');
    const broker = fault && this.brokerNow();
    if (!fault || !broker) return null;
    this.past ??= new PastLists(broker, longestMs(fault));
    const { past } = this;
    const ago = (ms: number | undefined): PastView => (ms === undefined ? null : past.at(broker.market.nowMs - ms));
    return { positions: ago(fault.positionsMs), orders: ago(fault.ordersMs) };
  }

  /** The account and its lists as they stay; null while they follow the books. */
  get account(): StandingView | null {
    for (const kind of standingKinds) this.view(kind);
    const [earliest] = this.views.values();
    return earliest ?? null;
  }

  /**
   * The record of the account, with zeros for sums that are not loaded.
   * @param listed the positions that the list shows
   */
  accountShown(account: AccountInfo, listed: () => readonly TradePosition[]): AccountInfo {
    const charged = withoutMoney(account, this.hiddenMoney);
    const summed = this.faults.peek('late-lists')?.sums === true ? withSumsOf(charged, listed()) : charged;
    const fault = this.faults.peek('zero-sums');
    if (!fault) return summed;
    return { ...summed, ...Object.fromEntries((fault.sums ?? accountSums).map((sum) => [sum, 0])) };
  }

  /** The quotes as they stay; null while they follow the market. */
  get quotes(): StandingView | null {
    return this.view('server-lost');
  }

  /** The habits in force, in the order in which they are listed. */
  get habits(): readonly Fault[] {
    const { faults } = this;
    if (faults.isEmpty) return [];
    return faults.list().filter((fault) => isIn(habitKinds, fault.kind) && !this.isOver(fault));
  }

  /** Whether a list shows already what came to be at a server time. */
  shows(list: LaggingList): Shows {
    const [lagMs, lateMs] = [this.lagMs(list), this.historyLateMs(list)];
    const broker = lagMs + lateMs > 0 ? this.brokerNow() : null;
    if (!broker) return () => true;
    const { serverMs } = broker.market;
    // What was shown before lists became late stays.
    const until = Math.min(serverMs - lagMs, Math.max(serverMs - lateMs, this.around.setAtMsc('late-lists')));
    // A row that is ahead of the clock was booked before the clock was set back.
    return (msc) => msc <= until || msc > serverMs;
  }

  private lagMs(list: LaggingList): number {
    const fault = this.faults.peek('lag');
    return fault && (!fault.lists || fault.lists.includes(list)) ? fault.ms : 0;
  }

  /** A row of the history comes and never goes, so that its time says when it shows. */
  private historyLateMs(list: LaggingList): number {
    const fault = this.faults.peek('late-lists');
    if (!fault || list === 'positions' || list === 'orders') return 0;
    return (list === 'deals' ? fault.dealsMs : fault.historyOrdersMs) ?? 0;
  }

  private viewNow(): StandingView | null {
    const broker = this.brokerNow();
    return broker && standingView(broker, this.accountOf(broker), (list) => this.shows(list));
  }

  /** Whether the terminal knows a symbol of the broker already. */
  knowsSymbol(name: string): boolean {
    const fault = this.faults.peek('late-symbols');
    const broker = fault && this.brokerNow();
    if (!fault || !broker || this.sessionShare(fault.ms) >= 1) return true;
    const names = [...broker.market.symbols.keys()];
    return names.indexOf(name) < names.length / 2;
  }

  /** Money of deals that the balance does not count yet, in the deposit currency; costs are negative. */
  private get hiddenMoney(): number {
    const broker = this.brokerNow();
    const resultsMs = this.faults.peek('late-balance')?.ms ?? 0;
    const costsMs = Math.max(resultsMs, this.faults.peek('late-costs')?.ms ?? 0);
    if (!broker || costsMs === 0) return 0;
    const { serverMs } = broker.market;
    const young = broker.book.deals.find({ from: Math.floor((serverMs - costsMs) / 1_000), to: latestDateS });
    return young
      .flatMap(({ time_msc, profit, swap, commission, fee }) => [
        ...(time_msc > serverMs - costsMs ? [commission, fee] : []),
        ...(time_msc > serverMs - resultsMs ? [profit, swap] : []),
      ])
      .reduce((total, amount) => sumRounded(total, amount, 2), 0);
  }

  private latePrice({ ticket, price_current, profit }: TradePosition, ms: number): PriceOfPosition {
    const nowMs = this.brokerNow()?.market.nowMs ?? 0;
    const last = this.latePrices.get(ticket);
    if (last && nowMs - last.atMs < ms) return last.shown;
    const shown = { price_current, profit };
    this.latePrices.set(ticket, { atMs: nowMs, shown });
    return shown;
  }

  private get loadedShare(): number {
    const fault = this.faults.peek('session-start');
    return fault ? this.sessionShare(fault.ms) : 1;
  }

  /** The part of so many milliseconds that the session has lasted, from 0 to 1. */
  private sessionShare(ms: number): number {
    return Math.min(1, this.sessionAgeMs / ms);
  }

  private get sessionAgeMs(): number {
    const nowMs = this.brokerNow()?.market.nowMs;
    return nowMs === undefined || this.sessionMs === null ? Number.POSITIVE_INFINITY : nowMs - this.sessionMs;
  }

  private view(kind: StandingKind): StandingView | null {
    if (this.faults.peek(kind) === null) return null;
    const known = this.views.get(kind);
    if (known) return known;
    const broker = this.brokerNow();
    if (!broker) return null;
    const view = standingView(broker, this.accountOf(broker), (list) => this.shows(list));
    this.views.set(kind, view);
    return view;
  }

  /** The lists are loaded by now. */
  private isOver(fault: Fault): boolean {
    if (fault.kind === 'session-start') return this.loadedShare >= 1;
    if (fault.kind !== 'lists-not-loaded' || fault.ms === undefined) return false;
    const nowMs = this.brokerNow()?.market.nowMs;
    if (nowMs === undefined) return false;
    this.loadingMs ??= nowMs;
    return nowMs - this.loadingMs >= fault.ms;
  }
}

function longestMs({ positionsMs = 0, ordersMs = 0 }: Extract<Fault, { readonly kind: 'late-lists' }>): number {
  return Math.max(positionsMs, ordersMs);
}
