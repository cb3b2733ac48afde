import type { Clock } from '@libs/clock';
import type { Bundle } from './strategy-bundler';
import {
  SharedThreadLostError,
  StrategyThread,
  ThreadLostError,
  type Handled,
  type ThreadLimits,
} from './strategy-thread';
import type { ThreadHost } from './thread-host';
import type { StateText } from '../core/records';
import type { StrategyEvent } from '../core/strategy-event';
import type { Deployment, Loaded } from './worker/messages';
import type { View } from '../live/view';

/** One strategy's place in a worker thread, its own or one that a group shares. */
export class Seat {
  private readonly unlisten: (() => void)[] = [];
  private leaving: Promise<void> | null = null;

  /**
   * @param name the strategy's
   * @param id identifies it in its thread, which may run two versions of one strategy
   */
  constructor(
    readonly name: string,
    private readonly id: string,
    private readonly thread: StrategyThread,
    private readonly onLeave: () => Promise<void>,
  ) {}

  /** @throws StrategyRefusedError, ThreadLostError */
  load(bundle: Bundle, deployment: Omit<Deployment, 'name' | 'code' | 'file' | 'source'>): Promise<Loaded> {
    // A name of its own for each load: the source maps of two versions of a file must not be mixed up.
    const file = bundle.file.replace(/\.js$/, `.${this.id.replaceAll(/[^A-Za-z0-9]+/g, '-')}.js`);
    return this.told(this.thread.load({ ...deployment, ...bundle, name: this.id, file }));
  }

  /** @throws ThreadLostError */
  handle(event: StrategyEvent, view: View): Promise<Handled> {
    return this.told(this.thread.handle(this.id, event, view));
  }

  /** As {@link StrategyThread.adopt}. @throws StrategyRefusedError, ThreadLostError */
  adopt(state: StateText): Promise<StateText | null> {
    return this.told(this.thread.adopt(this.id, state));
  }

  /** Calls back when the thread ends without a request to, even if it is idle. */
  whenLost(listener: (error: Error) => void): void {
    this.unlisten.push(this.thread.whenLost((loss) => listener(this.seen(loss))));
  }

  /** Releases the slot; the thread ends with its last strategy. */
  leave(): Promise<void> {
    for (const unlisten of this.unlisten.splice(0)) unlisten();
    return (this.leaving ??= this.onLeave());
  }

  private async told<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof ThreadLostError ? this.seen(error) : error;
    }
  }

  /** The loss from this strategy's view: caused by itself, or by another strategy in the same thread. */
  private seen(loss: ThreadLostError): Error {
    if (loss.culprit === null || loss.culprit === this.id) return loss;
    return new SharedThreadLostError(`${nameIn(loss.culprit)} ended the shared thread: ${loss.message}`, loss.culprit);
  }
}

/** Where strategies get their threads: each its own, or one for all that name the same group. */
export class Threads {
  private readonly groups = new Map<string, { readonly thread: StrategyThread; seats: number }>();
  private count = 0;

  constructor(
    private readonly host: ThreadHost,
    private readonly limits: ThreadLimits,
    private readonly clock: Clock,
  ) {}

  /** A place for a strategy. @param group null for a thread of its own */
  seat(name: string, group: string | null): Seat {
    const id = `${name}#${++this.count}`;
    if (group === null) {
      const thread = this.started();
      return new Seat(name, id, thread, () => thread.end());
    }
    const known = this.groups.get(group);
    const shared = known && !known.thread.isLost ? known : { thread: this.started(), seats: 0 };
    this.groups.set(group, shared);
    shared.seats++;
    return new Seat(name, id, shared.thread, async () => {
      // Nothing has to be unloaded from a thread that has ended.
      await shared.thread.unload(id).catch(() => undefined);
      if (--shared.seats > 0) return;
      if (this.groups.get(group) === shared) this.groups.delete(group);
      await shared.thread.end();
    });
  }

  private started(): StrategyThread {
    return new StrategyThread(this.host, this.limits, this.clock);
  }
}

function nameIn(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}
