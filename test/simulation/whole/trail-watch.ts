import type { Intent } from '../../../apps/daemon/src/core/strategy-event';
import type { OwnedTicket } from '../../../apps/daemon/src/core/records';
import type { StrategyBook } from '../../../apps/daemon/src/core/strategy-book';
import { trailForgotten } from './invariants/trails';

/** The trailing stops that a run of the daemon has to go on with. */
export class TrailWatch {
  /** The tickets on the daemon's disk. */
  private readonly kept = new Map<string, OwnedTicket>();
  /** Those of them that had a trailing stop at the start of the run, and whose strategy has not changed it since. */
  private readonly expected = new Map<string, OwnedTicket>();

  committed(ticket: OwnedTicket): void {
    this.kept.set(idOf(ticket), ticket);
    // A write of the run before may arrive late.
    if (ticket.trail && this.expected.has(idOf(ticket))) this.expected.set(idOf(ticket), ticket);
  }

  /** A run of a daemon has opened its disk, and goes on with this ticket. */
  found(ticket: OwnedTicket): void {
    const id = idOf(ticket);
    this.kept.set(id, ticket);
    if (!this.expected.has(id)) return;
    if (ticket.trail && !ticket.closed) this.expected.set(id, ticket);
    else this.expected.delete(id);
  }

  /** Another run of a daemon begins. @param running names of strategies that run on other hosts, and go on there */
  begin(running: ReadonlySet<string>): void {
    for (const [id, ticket] of this.kept) {
      if (running.has(ticket.strategy)) continue;
      if (ticket.trail && !ticket.closed) this.expected.set(id, ticket);
      else this.expected.delete(id);
    }
  }

  /** A strategy has decided. */
  decided(strategy: string, intents: readonly Intent[]): void {
    for (const intent of intents) {
      if (intent.action !== 'trail') continue;
      for (const [id, { ticket, ...owned }] of this.expected) {
        if (owned.strategy === strategy && ticket === intent.position) this.expected.delete(id);
      }
    }
  }

  /**
   * Trailing stops that a strategy no longer has.
   * @param isLongAt the side of a position at the broker; null if there is none: a position that was reversed is another one
   */
  look(book: Pick<StrategyBook, 'openTickets'>, isLongAt: (ticket: OwnedTicket) => boolean | null): string[] {
    return book.openTickets.flatMap((now) => {
      const kept = this.expected.get(idOf(now));
      const isSame = kept?.trail !== undefined && isLongAt(now) === (kept.trail.side === 'buy');
      return isSame ? trailForgotten(kept, now) : [];
    });
  }
}

function idOf({ strategy, broker, ticket }: OwnedTicket): string {
  return `${strategy} ${broker} ${ticket}`;
}
