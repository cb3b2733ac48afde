import type { ProgramLife } from './instance-clock';
import type { VirtualTime } from './virtual-time';

/** When a program ends, seen from one of its port calls. */
export type KillMoment = 'before' | 'during' | 'after';

/** Kills a program at one of its port calls. */
export interface KillOrder {
  /** Which calls count: those whose name begins so. */
  readonly port: string;
  /** How many of them pass before. */
  readonly skip: number;
  readonly moment: KillMoment;
}

/** Every call of a program to the world outside goes by here: it is where the program can be killed, and where it stops. */
export class PortCalls {
  /** Calls made so far. */
  count = 0;
  private order: { readonly port: string; readonly moment: KillMoment; left: number } | null = null;

  private watch: { readonly port: string; readonly run: () => void; left: number } | null = null;

  /** @param kill ends the program at once */
  constructor(
    private readonly life: ProgramLife,
    private readonly time: VirtualTime,
    private readonly kill: (call: string, moment: KillMoment) => void,
  ) {}

  /** Kills the program at a later call, in place of an earlier order. */
  killAt({ port, skip, moment }: KillOrder): void {
    this.order = { port, moment, left: skip };
  }

  /** Something happens outside at the moment of a later call. */
  meet(port: string, skip: number, run: () => void): void {
    this.watch = { port, run, left: skip };
  }

  /** Forgets what was ordered. */
  spare(): void {
    this.order = null;
    this.watch = null;
  }

  /** A call is about to take effect. Never resolves for a program that has ended. */
  begin(call: string): Promise<void> {
    this.count += 1;
    if (this.watch && call.startsWith(this.watch.port) && this.watch.left-- === 0) {
      const { run } = this.watch;
      this.watch = null;
      run();
    }
    const moment = this.strike(call);
    if (moment === 'before') this.kill(call, moment);
    if (moment === 'during') this.time.schedule(0.5, () => this.kill(call, moment));
    if (moment === 'after') this.order = { port: `${call} done`, moment, left: 0 };
    return this.goOn();
  }

  /** A call has taken effect. Never resolves for a program that has ended, so that it does not hear of it. */
  end(call: string): Promise<void> {
    if (this.strike(`${call} done`) !== null) this.kill(call, 'after');
    return this.goOn();
  }

  /** Runs one call between the two. */
  async pass<T>(call: string, run: () => Promise<T>): Promise<T> {
    await this.begin(call);
    try {
      return await run();
    } finally {
      await this.end(call);
    }
  }

  private goOn(): Promise<void> {
    return new Promise((resolve) => this.life.reach(resolve));
  }

  private strike(call: string): KillMoment | null {
    const { order } = this;
    if (!order || !call.startsWith(order.port)) return null;
    order.left -= 1;
    if (order.left >= 0) return null;
    this.order = null;
    return order.moment;
  }
}
