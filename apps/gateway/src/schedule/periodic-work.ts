import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Clock, type Timer } from '@libs/clock';

/**
 * All periodic work of the gateway, by name, as listed in Nest's scheduler registry. The injected clock times it, because Nest's own
 * intervals use the machine's clock, which a test cannot step (docs/decisions/0007-periodic-work-by-the-injected-clock.md).
 */
@Injectable()
export class PeriodicWork implements OnModuleDestroy {
  private readonly logger = new Logger('periodic-work');
  private readonly timers = new Set<Timer>();

  constructor(
    private readonly clock: Clock,
    private readonly registry: SchedulerRegistry,
  ) {}

  /**
   * Runs work every `periodMs`, first after one period, until shutdown or until it is cancelled. A failed run is logged, and the next
   * one follows.
   * @throws Error when the name is taken
   */
  start(name: string, periodMs: number, work: () => Promise<void>): Timer {
    const run = (): void => {
      work().catch((error: unknown) => this.logger.error({ err: error, work: name }, 'periodic work failed'));
    };
    if (this.registry.doesExist('interval', name)) throw new Error(`periodic work named ${name} already exists`);
    const listed = this.clockOf(name).every(periodMs, run);
    const timer = {
      cancel: (): void => {
        this.timers.delete(timer);
        listed.cancel();
      },
    };
    this.timers.add(timer);
    return timer;
  }

  /** The clock for a part that repeats something itself: it is listed under the name of the part until the part cancels it. */
  clockOf(name: string): Clock {
    return new ListingClock(name, this.clock, this.registry);
  }

  onModuleDestroy(): void {
    for (const timer of [...this.timers]) timer.cancel();
  }
}

/** The time of another clock. What it repeats is in the registry. */
class ListingClock extends Clock {
  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly registry: SchedulerRegistry,
  ) {
    super();
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  setTimer(delayMs: number, run: () => void): Timer {
    return this.clock.setTimer(delayMs, run);
  }

  override every(periodMs: number | (() => number), run: () => void): Timer {
    const { registry } = this;
    const timer = this.clock.every(periodMs, run);
    const name = this.freeName();
    registry.addInterval(name, timer);
    return {
      cancel: (): void => {
        timer.cancel();
        // At the shutdown the registry empties itself.
        if (registry.doesExist('interval', name) && registry.getInterval(name) === timer) registry.deleteInterval(name);
      },
    };
  }

  /** A part that repeats two things has both listed. */
  private freeName(): string {
    let name = this.name;
    for (let count = 2; this.registry.doesExist('interval', name); count++) name = `${this.name}-${count}`;
    return name;
  }
}
