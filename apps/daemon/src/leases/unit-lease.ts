import type { Clock } from '@libs/clock';
import type { Fence } from '@libs/gateway-client';
import { Shutdown } from '../shutdown';

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
  /** When the statement that took the lease was sent, on the monotonic clock. */
  readonly takenMs: number;
  /** Called once, when the lease ends while the unit runs. */
  readonly onEnded: (lease: UnitLease) => void;
}

/**
 * The lease of a unit, a standalone strategy or a whole portfolio, by the clock of its holder. A lease that has ended never
 * permits anything again.
 */
export class UnitLease implements StrategyLease {
  /** Of the strategies of the unit: it ends with the lease. */
  readonly shutdown: Shutdown;
  private renewedMs: number;
  private reason: string | null = null;
  private leavingReason: string | null = null;

  constructor(
    private current: Fence,
    private readonly options: UnitLeaseOptions,
  ) {
    this.shutdown = new Shutdown(options.shutdown);
    this.renewedMs = options.takenMs;
  }

  /** Name and token of the lease. */
  get fence(): Fence {
    return this.current;
  }

  /** Why the lease has ended; null while it may be held. */
  get endReason(): string | null {
    return this.reason;
  }

  /** Milliseconds since the statement was sent that renewed it last. */
  get ageMs(): number {
    return this.options.clock.monotonicMs() - this.renewedMs;
  }

  get entryProblem(): string | null {
    if (this.reason !== null) return this.reason;
    if (this.leavingReason !== null) return this.leavingReason;
    const { ageMs } = this;
    if (ageMs < this.options.leaseMs * entryPart) return null;
    return `the lease of ${this.fence.name} was not renewed for ${Math.round(ageMs / 1_000)} s`;
  }

  /** @param sentMs when the statement was sent, on the monotonic clock: its answer may have taken long */
  renewed(sentMs: number): void {
    this.renewedMs = Math.max(this.renewedMs, sentMs);
  }

  /** Its token was raised, before any strategy runs under it. */
  raised(fence: Fence): void {
    this.current = fence;
  }

  fencedOut(problem: string): void {
    this.end(problem);
  }

  /** Whether the unit is about to be given to another host. */
  get isLeaving(): boolean {
    return this.leavingReason !== null && this.reason === null;
  }

  /** Denies entries; requests in flight are still followed until the lease ends. */
  leave(reason: string): void {
    if (this.reason !== null || this.leavingReason !== null) return;
    this.leavingReason = reason;
    this.shutdown.begin();
  }

  /** Ends the strategies of the unit: no entries, and no recoveries of outcomes. */
  end(reason: string): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.shutdown.end();
    this.options.onEnded(this);
  }
}
