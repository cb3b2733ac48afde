import type { AccountLook, Unexplained } from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import type { KnownAccount } from './known-account';

/** A row that was there for as long as this, as far as looks tell, is no passing one. Milliseconds. */
const standingMs = 10_000;
/** How long a row must be gone, longer than lists are known to lag. Milliseconds. */
const goneMs = 30_000;
/** Looks that must have lacked it. */
const goneLooks = 3;

interface Shown {
  readonly sinceMs: number;
  /** The first look that lacked it, monotonic milliseconds; null while it is shown. */
  readonly absentMs: number | null;
  /** Looks since then. */
  readonly looks: number;
}

/**
 * Positions and orders that a list has shown for moments only, and that no deal, no history and no acknowledgement of the broker has: some
 * terminals show a row that never was, as one of another account at the start of a session, or the other half of a close. Nothing ever
 * explains its absence.
 */
export class FleetingRows {
  /** By identifier or ticket, in monotonic milliseconds. */
  private readonly shown = new Map<number, Shown>();

  /** @param owns whether the journal has a claim on a ticket */
  constructor(
    private readonly clock: Clock,
    private readonly owns: (ticket: number) => boolean,
  ) {}

  /** A look was taken. Call it before its rows are known. */
  note(known: KnownAccount, { positions, orders }: AccountLook): void {
    const listed = new Set<number>();
    const note = (key: number, isKnown: boolean): void => {
      listed.add(key);
      if (this.shown.has(key) || !isKnown) this.seen(key);
    };
    for (const { identifier } of positions) note(identifier, known.positions.has(identifier));
    for (const { ticket } of orders) note(ticket, known.orders.has(ticket));
    for (const [key, row] of this.shown) {
      if (listed.has(key)) continue;
      if (known.positions.has(key) || known.orders.has(key)) this.lacked(key, row);
      else this.shown.delete(key);
    }
  }

  private seen(key: number): void {
    const nowMs = this.clock.monotonicMs();
    const before = this.shown.get(key);
    // One that comes back much later is shown anew, as at the start of each session.
    const isAnew = before === undefined || (before.absentMs !== null && nowMs - before.absentMs >= standingMs);
    const sinceMs = isAnew ? nowMs : before.sinceMs;
    if (nowMs - sinceMs >= standingMs) this.shown.delete(key);
    else this.shown.set(key, { sinceMs, absentMs: null, looks: 0 });
  }

  /** Between two looks it may have been there all the time. */
  private lacked(key: number, { sinceMs, absentMs, looks }: Shown): void {
    const nowMs = this.clock.monotonicMs();
    if (absentMs === null && nowMs - sinceMs >= standingMs) this.shown.delete(key);
    else this.shown.set(key, { sinceMs, absentMs: absentMs ?? nowMs, looks: looks + 1 });
  }

  /** The rows that are gone for good, if nothing but their absence is unexplained; otherwise none. */
  in(known: KnownAccount, look: AccountLook, unexplained: readonly Unexplained[]): ReadonlySet<number> {
    const absent = new Set(unexplained.filter(isAbsence).map(({ ticket }) => ticket));
    const gone = new Map<number, number>();
    if (this.shown.size === 0 || absent.size === 0) return new Set();
    for (const [identifier, { record, unproven }] of known.positions) {
      if (!absent.has(record.ticket) || unproven !== true || !this.isGone(identifier)) continue;
      if (this.isOwn(identifier, record.ticket) || (look.dealsOf.get(identifier) ?? []).length > 0) continue;
      gone.set(record.ticket, identifier);
    }
    for (const [ticket] of known.orders) {
      if (!absent.has(ticket) || !this.isGone(ticket) || this.isOwn(ticket) || look.endOf.get(ticket) != null) continue;
      gone.set(ticket, ticket);
    }
    const isAll = unexplained.every((one) => isAbsence(one) && one.ticket !== null && gone.has(one.ticket));
    return new Set(isAll ? gone.values() : []);
  }

  private isOwn(...tickets: readonly number[]): boolean {
    return tickets.some((ticket) => this.owns(ticket));
  }

  private isGone(key: number): boolean {
    const { absentMs = null, looks = 0 } = this.shown.get(key) ?? {};
    return absentMs !== null && looks >= goneLooks && this.clock.monotonicMs() - absentMs >= goneMs;
  }
}

function isAbsence({ kind }: Unexplained): boolean {
  return kind === 'position_missing' || kind === 'order_missing';
}
