/** The lists that can lag behind what was done. */
export type LaggingList = 'positions' | 'orders' | 'history_orders' | 'deals';

/** Reads that can be made to fail, under the port's own names. */
export type ReadMethod =
  | 'terminalInfo'
  | 'accountInfo'
  | 'symbolsGet'
  | 'symbolInfo'
  | 'symbolSelect'
  | 'symbolInfoTick'
  | 'ticks'
  | 'marketBook'
  | 'copyRatesFromPos'
  | 'copyRatesRange'
  | 'copyTicksRange'
  | 'positionsGet'
  | 'ordersGet'
  | 'historyOrdersGet'
  | 'historyDealsGet'
  | 'orderCheck'
  | 'orderCalcMargin'
  | 'orderCalcProfit';

/** A fault that strikes `times` calls and is then spent; without it, every call until it is cleared. */
interface Counted {
  readonly times?: number;
}

/** Something that goes wrong. All of them are plain JSON, so that they can be set over the link. */
export type Fault =
  /** Every call takes this much longer. */
  | { readonly kind: 'latency'; readonly ms: number; readonly calls?: 'reads' | 'sends' | 'all' }
  /** The connection drops after a send was written and before the server acts on it. */
  | ({ readonly kind: 'drop-before-send' } & Counted)
  /** The server acts on a send, then the connection drops. */
  | ({ readonly kind: 'drop-after-send' } & Counted)
  /** The server acts on a send, but its answer is lost, or comes `lateMs` after the send. */
  | ({ readonly kind: 'lose-answer'; readonly lateMs?: number } & Counted)
  /**
   * The server answers sends with a retcode and does nothing. With `acts` it does what was asked all the same: 10008 and
   * 10010 then name the order, the deal and the volume, and 10010 fills about half.
   */
  | ({
      readonly kind: 'retcode';
      readonly retcode: number;
      readonly comment?: string;
      readonly action?: number;
      readonly acts?: boolean;
    } & Counted)
  /**
   * Market orders fill so many points worse than their quote. With instant or request execution, an order whose deviation is
   * smaller is requoted.
   */
  | ({ readonly kind: 'slippage'; readonly points: number } & Counted)
  /** The server acts, and acknowledges with a price and a deal of 0; with `bare`, also with an order of 0. */
  | ({ readonly kind: 'zero-ack'; readonly bare?: boolean } & Counted)
  /** What was done shows in the lists only after a while of market time. */
  | { readonly kind: 'lag'; readonly ms: number; readonly lists?: readonly LaggingList[] }
  /** Quotes stand still, of some symbols or of all. */
  | { readonly kind: 'frozen-quotes'; readonly symbols?: readonly string[] }
  /** The server's clock is set off from now on. */
  | { readonly kind: 'clock-offset'; readonly seconds: number }
  /** Reads fail, of some methods or of all. */
  | ({
      readonly kind: 'failed-reads';
      readonly methods?: readonly ReadMethod[];
      readonly code?: number;
      readonly failure?: 'failed' | 'timeout' | 'busy';
    } & Counted)
  /** The terminal cannot be reached: sessions are down, and connecting fails. */
  | { readonly kind: 'disconnected' }
  /** The terminal is reachable but logged out, and stays so until a login. */
  | { readonly kind: 'logged-out' }
  /** Logins are refused, whatever the password. */
  | { readonly kind: 'login-refused' }
  /** The terminal is logged in to another account. */
  | { readonly kind: 'other-account'; readonly login: number }
  /**
   * Trading is switched off: by the terminal's button (10027), the server (10026), the account (10017), or the terminal's
   * option for the Python API (nothing is sent, last_error -8).
   */
  | { readonly kind: 'trading-off'; readonly by: 'terminal' | 'server' | 'account' | 'api' }
  /**
   * The terminal has no connection to the server: the account, its lists and the quotes stay as they were, and sends are
   * answered 10031. With `acts` the server does what was asked all the same.
   */
  | { readonly kind: 'server-lost'; readonly acts?: boolean }
  /** The account and its lists stay as they were, on a terminal that says that it is connected. */
  | { readonly kind: 'frozen-account' }
  /**
   * Lists are empty, or have the first half of their rows, for a while of market time, until a new session begins, or until it
   * is cleared.
   */
  | {
      readonly kind: 'lists-not-loaded';
      readonly shows: 'empty' | 'half';
      readonly ms?: number;
      readonly untilSession?: boolean;
      readonly lists?: readonly LaggingList[];
    }
  /**
   * After the start of each session, lists are for a while of market time those of the last session, empty, or have a part of
   * their rows that grows.
   */
  | {
      readonly kind: 'session-start';
      readonly shows: 'old' | 'empty' | 'parts';
      readonly ms: number;
      readonly lists?: readonly LaggingList[];
    }
  /** Lists are those of so many milliseconds of market time ago, each by its own: what came and what went shows late. */
  | {
      readonly kind: 'late-lists';
      readonly positionsMs?: number;
      readonly ordersMs?: number;
      readonly historyOrdersMs?: number;
      readonly dealsMs?: number;
      /** The terminal computes the sums of the account from the positions that it shows. */
      readonly sums?: boolean;
    }
  /** The history has no orders, no deals, or neither. */
  | { readonly kind: 'history-lacks'; readonly what: 'orders' | 'deals' | 'all' }
  /** The history lacks what was done in so many seconds before the fault was set. */
  | { readonly kind: 'history-gap'; readonly seconds: number }
  /** Comments are `empty`, `cut` to 16 characters, or replaced by another text. */
  | { readonly kind: 'comments'; readonly to: string }
  /** The times of orders, deals and positions are off. */
  | { readonly kind: 'trade-clock'; readonly seconds: number }
  /** Orders, deals and positions have this reason. */
  | { readonly kind: 'reasons'; readonly reason: number }
  /** Orders, deals and positions have magic 0; with `fills`, the positions and deals of pending orders alone. */
  | { readonly kind: 'magic-zero'; readonly fills?: boolean }
  /** The server rounds the levels that it is sent to so many points, or with `moved` sets them so many points higher. */
  | { readonly kind: 'levels'; readonly points: number; readonly moved?: boolean }
  /** The server replaces a pending order that is changed by another one under a new ticket, and cancels the old one. */
  | { readonly kind: 'replaced-orders' }
  /** Volumes and prices have 1e-9 too much. */
  | { readonly kind: 'float-noise' }
  /** Each so manieth read of a list answers without an error, and is empty or has the first half of its rows. */
  | {
      readonly kind: 'flickering-lists';
      readonly shows: 'empty' | 'half';
      readonly every: number;
      readonly lists?: readonly LaggingList[];
    }
  /** Deals show their commission and fee only after a while of market time, and the balance changes by them only then. */
  | { readonly kind: 'late-costs'; readonly ms: number }
  /** The history has no position id in an order or a deal for a while of market time. */
  | { readonly kind: 'late-position-ids'; readonly ms: number }
  /** Positions show their price and profit of up to so many milliseconds of market time ago, while the account has those of now. */
  | { readonly kind: 'late-profits'; readonly ms: number }
  /** After the start of each session, the terminal knows the first half of its symbols only, for a while of market time. */
  | { readonly kind: 'late-symbols'; readonly ms: number }
  /** Lists have each row twice. */
  | { readonly kind: 'rows-twice' }
  /** Lists have their last row first. */
  | { readonly kind: 'rows-reversed' }
  /** The balance counts a deal only after a while of market time, while the lists have it at once. */
  | { readonly kind: 'late-balance'; readonly ms: number }
  /** After the start of each session, the lists of positions and orders have a row that never was, for a while of market time. */
  | { readonly kind: 'passing-rows'; readonly ms: number }
  /** The record of the account shows 0 for these sums, or for all of them. */
  | { readonly kind: 'zero-sums'; readonly sums?: readonly AccountSum[] };

/** A sum of the account's record. */
export type AccountSum = 'balance' | 'credit' | 'profit' | 'equity' | 'margin' | 'margin_free' | 'margin_level';

export type FaultKind = Fault['kind'];

type FaultOf<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;

/** What setting or clearing a fault does at once, beyond being looked up. */
export interface FaultEffects {
  onSet(fault: Fault): void;
  onCleared(kind: FaultKind): void;
}

/**
 * The faults in force, one of a kind. Only tests and the link's own methods set them; the gateway's HTTP never does.
 */
export class Faults {
  private readonly active = new Map<FaultKind, { readonly fault: Fault; left: number }>();

  constructor(private readonly effects: FaultEffects) {}

  /** Puts a fault in force, in place of an earlier one of its kind. */
  set(fault: Fault): void {
    const left = 'times' in fault && fault.times !== undefined ? fault.times : Number.POSITIVE_INFINITY;
    this.active.set(fault.kind, { fault, left });
    this.effects.onSet(fault);
  }

  /** Ends one fault, or all. */
  clear(kind?: FaultKind): void {
    const kinds = kind === undefined ? [...this.active.keys()] : [kind];
    for (const each of kinds) {
      if (this.active.delete(each)) this.effects.onCleared(each);
    }
  }

  /** No fault is in force. */
  get isEmpty(): boolean {
    return this.active.size === 0;
  }

  /** The faults in force. */
  list(): Fault[] {
    return [...this.active.values()].map(({ fault }) => fault);
  }

  /** The fault of a kind, without using it up. */
  peek<Kind extends FaultKind>(kind: Kind): FaultOf<Kind> | null {
    if (this.active.size === 0) return null;
    const entry = this.active.get(kind);
    return entry && isOfKind(entry.fault, kind) ? entry.fault : null;
  }

  /** The fault of a kind, counted as having struck once, when it applies. */
  strike<Kind extends FaultKind>(
    kind: Kind,
    applies: (fault: FaultOf<Kind>) => boolean = () => true,
  ): FaultOf<Kind> | null {
    const fault = this.peek(kind);
    const entry = this.active.get(kind);
    if (!fault || !entry || !applies(fault)) return null;
    entry.left--;
    if (entry.left <= 0) this.clear(kind);
    return fault;
  }
}

function isOfKind<Kind extends FaultKind>(fault: Fault, kind: Kind): fault is FaultOf<Kind> {
  return fault.kind === kind;
}
