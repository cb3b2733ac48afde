import type { Clock } from '@libs/clock';
import type { Fence } from '@libs/gateway-client';
import { Shutdown } from '../shutdown';
import { endedLease, isLeaving, type HeldLease } from './keeper-state';

/** A lease permits entries for this part of its duration: what is sent then ends before another holder can begin. */
const entryPart = 2 / 3;

/** What the trading of a strategy needs of the lease that it runs under. */
export interface StrategyLease {
  /** Named by every request. It never changes: a strategy that runs again after a loss has another lease. */
  readonly fence: Fence;
  /** Why entries are denied; null while the lease permits them. */
  readonly entryProblem: string | null;
  /** A gateway has refused a request by its fence: the strategy stops here. */
  fencedOut(problem: string): void;
}

export interface UnitLeaseOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** That of the daemon. */
  readonly shutdown: Shutdown;
  /** Called when the lease ends by {@link UnitLease.fencedOut}. */
  readonly onFencedOut: (reason: string) => void;
}

/**
 * The lease of a unit, a standalone strategy or a whole portfolio, by the clock of its holder. A lease that has ended never
 * permits anything again.
 */
export class UnitLease implements StrategyLease {
  /** Of the strategies of the unit: it ends with the lease. */
  readonly shutdown: Shutdown;

  constructor(
    private held: HeldLease,
    private readonly options: UnitLeaseOptions,
  ) {
    this.shutdown = new Shutdown(options.shutdown);
    this.update(held);
  }

  /** Unlike that of every other lease of this host. */
  get id(): number {
    return this.held.id;
  }

  /** Name and token of the lease. */
  get fence(): Fence {
    return this.held.fence;
  }

  /** Why the lease has ended; null while it may be held. */
  get endReason(): string | null {
    return this.held.endReason;
  }

  /** Milliseconds since the statement was sent that renewed it last. */
  get ageMs(): number {
    return this.options.clock.monotonicMs() - this.held.renewedMs;
  }

  get entryProblem(): string | null {
    const { endReason, leavingReason } = this.held;
    if (endReason !== null) return endReason;
    if (leavingReason !== null) return leavingReason;
    const { ageMs } = this;
    if (ageMs < this.options.leaseMs * entryPart) return null;
    return `the lease of ${this.fence.name} was not renewed for ${Math.round(ageMs / 1_000)} s`;
  }

  /** Whether the unit is about to be given to another host. */
  get isLeaving(): boolean {
    return isLeaving(this.held);
  }

  /**
   * What the keeper knows of it now. While its unit leaves, it denies entries, and requests in flight are still followed
   * until it ends: then there are no recoveries of outcomes either.
   */
  update(held: HeldLease): void {
    this.held = this.held.endReason === null ? held : endedLease(held, this.held.endReason);
    if (held.leavingReason !== null) this.shutdown.begin();
    if (this.endReason !== null) this.shutdown.end();
  }

  fencedOut(problem: string): void {
    if (this.endReason !== null) return;
    this.options.onFencedOut(problem);
    // Also if the keeper has given it back.
    this.update(endedLease(this.held, problem));
  }
}
