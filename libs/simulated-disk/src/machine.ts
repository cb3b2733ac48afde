import type { Clock } from '@libs/clock';

/** How long the disk takes, in milliseconds of the clock. */
export interface DiskPace {
  /** A call that only touches names or memory. */
  readonly operationMs: number;
  /** A flush of a file. */
  readonly syncMs: number;
  /** A commit of a store, from its changes to its flush. */
  readonly commitMs: number;
}

/** A call in progress: its effect, and the state that a crash during the call leaves. */
interface InFlight {
  readonly crash: (random: () => number) => void;
}

/**
 * A computer from its start to its crash. After it, no call of a program that ran on it ends: its promises stay pending,
 * and nothing that it does reaches the disk.
 */
export class Machine {
  private readonly inFlight = new Set<InFlight>();
  private crashed = false;

  constructor(
    private readonly clock: Clock,
    readonly pace: () => DiskPace,
  ) {}

  /** For calls that do not wait. @throws Error once the machine has crashed */
  requireRunning(): void {
    if (this.crashed) throw new Error('the machine has crashed: this program no longer runs');
  }

  /**
   * Does something after a time.
   * @param crash what is left of it when the machine crashes before
   * @returns its result; never settles once the machine has crashed
   */
  perform<R>(delayMs: number, act: () => R, crash: InFlight['crash']): Promise<R> {
    if (this.crashed) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const call: InFlight = { crash };
      this.inFlight.add(call);
      this.clock.setTimer(delayMs, () => {
        if (this.crashed) return;
        this.inFlight.delete(call);
        try {
          resolve(act());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** Ends every program at this instant. */
  crash(random: () => number): void {
    this.crashed = true;
    for (const { crash } of this.inFlight) crash(random);
    this.inFlight.clear();
  }
}
