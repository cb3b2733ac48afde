import {
  explain,
  isProfitOff,
  profitLooksWanted,
  type AccountLook,
  type ProfitLook,
  type Unexplained,
} from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import type { AccountInfo, PushedChanges, TerminalClient } from '@libs/terminal-client';
import { firstLook, lookCloser, readLists, withHistoryOf, type AccountShown } from './account-look';
import { marginWithout } from '../account-evidence/margin-without';
import type { KnownAccount } from './known-account';
import type { OwnOrders } from './own-orders';

/**
 * Least interval of probes: whether the terminal has its server, the account and its balance. Shorter than that of the polls, which
 * make them: a probe that takes some milliseconds must not leave out the next poll.
 */
const probeMs = 900;
/** Looks in a row before a contradiction counts, because trades happen between the reads of one look. */
const looksWanted = 3;

/** A verified session: runs one call on it, or throws. */
export interface TerminalReads {
  read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T>;
  /** Changes as the terminal reports them; null if it has to be polled. */
  readonly pushes: PushedChanges | null;
}

/** Reads of the terminal, and of the account of the session. */
export interface AccountReads extends TerminalReads {
  /**
   * Asks the terminal now whether it has its server, and for the account.
   * @throws an error if the session is lost
   */
  probe(): Promise<AccountInfo>;
  /** @throws an error if another account is logged in, or none */
  readAccount(): Promise<AccountInfo>;
  /** Names the books of a broker that begins anew with each start; empty for one that keeps them. */
  readonly books: string;
}

/** A look, and what of it nothing explains. */
export interface JudgedLook {
  readonly look: AccountLook;
  readonly unexplained: readonly Unexplained[];
}

/** Looks at one account, as the terminal shows it, and judges each look. */
export class AccountLooks {
  private profits: (ProfitLook & { readonly atMs: number; readonly offLooks: number }) | null = null;
  private probedAtMs = -Infinity;
  /** What a person accepted although nothing explains it, until it is no longer shown. */
  private accepted: ReadonlySet<string> = new Set();

  constructor(
    private readonly terminal: AccountReads,
    private readonly clock: Clock,
    private readonly ownOrders: OwnOrders,
  ) {}

  /** A session begins: nothing is known of its terminal. */
  begin(): void {
    this.probedAtMs = -Infinity;
    this.profits = null;
  }

  get isProbeDue(): boolean {
    return this.clock.monotonicMs() - this.probedAtMs >= probeMs;
  }

  /** The account, once the terminal has confirmed that it has its server. */
  async probe(): Promise<AccountInfo> {
    const beganMs = this.clock.monotonicMs();
    const account = await this.terminal.probe();
    this.probedAtMs = beganMs;
    return account;
  }

  /** The account, then the lists, so that what the account counts and the lists lack is not explained by time. */
  async shown(): Promise<AccountShown> {
    const account = await this.probe();
    const { marginNeeded, ...lists } = await this.terminal.read(async (terminal) => {
      const read = await readLists(terminal);
      return { ...read, marginNeeded: await marginWithout(account, read.positions, terminal) };
    });
    const atMs = this.clock.monotonicMs();
    const before = this.profits;
    // Looks at the same moment show nothing about how prices move.
    if (before === null || atMs > before.atMs) {
      const isOff = isProfitOff({ account, ...lists }, before);
      this.profits = { account, positions: lists.positions, atMs, offLooks: isOff ? (before?.offLooks ?? 0) + 1 : 0 };
    }
    return { account, ...lists, marginNeeded, isProfitOff: (this.profits?.offLooks ?? 0) >= profitLooksWanted };
  }

  /** Looks until one is explained, a few times. @param shown what was read already */
  async untilExplained(known: KnownAccount, shown: AccountShown): Promise<JudgedLook> {
    return this.repeated(await this.closer(known, shown, false), async (isLast, { look }) =>
      this.closer(known, await this.shown(), isLast, look),
    );
  }

  /** As {@link untilExplained}, at an account that is not known yet. */
  async first(): Promise<JudgedLook> {
    return this.repeated(await this.anew(null), (_, { look }) => this.anew(look));
  }

  /** What a look at some rows shows that nothing explains. */
  judged(known: KnownAccount | null, look: AccountLook): JudgedLook {
    this.ownOrders.seen(look, known);
    const unexplained = explain(known, look, this.ownOrders);
    if (look.scope !== null || this.accepted.size === 0) return { look, unexplained };
    const names = new Set(unexplained.map(nameOf));
    this.accepted = new Set([...this.accepted].filter((name) => names.has(name)));
    return { look, unexplained: unexplained.filter((one) => !this.isAccepted(one)) };
  }

  /** Whether a person accepted something that nothing explains. */
  isAccepted(one: Unexplained): boolean {
    return this.accepted.has(nameOf(one));
  }

  /** A person accepts what nothing explains. */
  accept(unexplained: readonly Unexplained[]): void {
    this.accepted = new Set([...this.accepted, ...unexplained.map(nameOf)]);
  }

  /** @param before the look right before; null before the first */
  private async anew(before: AccountLook | null): Promise<JudgedLook> {
    const shown = await this.shown();
    const look = await this.terminal.read((terminal) => firstLook(terminal, shown));
    return this.judged(null, before ? withHistoryOf(before, look) : look);
  }

  /** @param before the look right before; null before the first */
  private async closer(
    known: KnownAccount,
    shown: AccountShown,
    isWide: boolean,
    before: AccountLook | null = null,
  ): Promise<JudgedLook> {
    const look = await this.terminal.read((terminal) => lookCloser(terminal, known, shown, isWide));
    return this.judged(known, before ? withHistoryOf(before, look) : look);
  }

  /** Trades between the reads of a look contradict each other, so one contradiction proves nothing. */
  private async repeated(
    first: JudgedLook,
    again: (isLast: boolean, before: JudgedLook) => Promise<JudgedLook>,
  ): Promise<JudgedLook> {
    let judged = first;
    for (let looks = 1; looks < looksWanted && judged.unexplained.length > 0; looks++) {
      judged = await again(looks === looksWanted - 1, judged);
    }
    return judged;
  }
}

function nameOf({ kind, ticket }: Unexplained): string {
  return `${kind} ${ticket ?? ''}`;
}
