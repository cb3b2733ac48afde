import type { AccountInfo } from '@libs/terminal-client';
import type { Broker } from './broker';
import type { Fault, FaultKind, Faults, LaggingList } from './fault';
import { habitKinds } from './habits';
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

/** What the faults in force make of what a session shows, since when they are set. */
export class ShownFaults {
  /** The earliest first. */
  private readonly views = new Map<StandingKind, StandingView>();
  /** Market time at which the lists began to load, in UTC milliseconds; null if not known yet. */
  private loadingMs: number | null = null;

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
    if (fault.kind === 'lists-not-loaded') this.loadingMs = this.brokerNow()?.market.nowMs ?? null;
    if (!isIn(standingKinds, fault.kind)) return;
    this.views.delete(fault.kind);
    this.view(fault.kind);
  }

  /** A fault was cleared. */
  ended(kind: FaultKind): void {
    if (isIn(standingKinds, kind)) this.views.delete(kind);
  }

  /** The account and its lists as they stay; null while they follow the books. */
  get account(): StandingView | null {
    for (const kind of standingKinds) this.view(kind);
    const [earliest] = this.views.values();
    return earliest ?? null;
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
    const fault = this.faults.peek('lag');
    const broker = fault && (!fault.lists || fault.lists.includes(list)) ? this.brokerNow() : null;
    if (!fault || !broker) return () => true;
    const until = broker.market.serverMs - fault.ms;
    return (msc) => msc <= until;
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
    if (fault.kind !== 'lists-not-loaded' || fault.ms === undefined) return false;
    const nowMs = this.brokerNow()?.market.nowMs;
    if (nowMs === undefined) return false;
    this.loadingMs ??= nowMs;
    return nowMs - this.loadingMs >= fault.ms;
  }
}
