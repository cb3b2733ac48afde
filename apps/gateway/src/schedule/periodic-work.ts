import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Clock, type Timer } from '@libs/clock';

/**
 * The periodic work of the gateway, by name, as listed in Nest's scheduler registry. The injected clock times it,
 * because Nest's own intervals use the machine's clock, which a test cannot step. A failed run is logged and the next
 * one follows.
 */
@Injectable()
export class PeriodicWork implements OnModuleDestroy {
  private readonly logger = new Logger('periodic-work');
  private readonly timers = new Map<string, Timer>();

  constructor(
    private readonly clock: Clock,
    private readonly registry: SchedulerRegistry,
  ) {}

  /**
   * Runs work every `periodMs`, first after one period, until shutdown.
   * @throws Error when the name is taken
   */
  start(name: string, periodMs: number, work: () => Promise<void>): void {
    const run = (): void => {
      work().catch((error: unknown) => this.logger.error({ err: error, work: name }, 'periodic work failed'));
    };
    if (this.timers.has(name)) throw new Error(`periodic work named ${name} already exists`);
    const timer = this.clock.every(periodMs, run);
    this.registry.addInterval(name, timer);
    this.timers.set(name, timer);
  }

  onModuleDestroy(): void {
    for (const [name, timer] of this.timers) {
      timer.cancel();
      this.registry.deleteInterval(name);
    }
    this.timers.clear();
  }
}
