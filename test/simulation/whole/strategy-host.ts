import type { Clock } from '@libs/clock';
import type { StrategyHost } from '../../../apps/daemon/src/daemon.edge';
import type { Bundle } from '../../../apps/daemon/src/strategies/strategy-bundler';
import type { StrategyWorker, ThreadHost, WorkerListener } from '../../../apps/daemon/src/strategies/thread-host';
import type { StateText } from '../../../apps/daemon/src/core/records';
import type { StrategyEvent } from '../../../apps/daemon/src/core/strategy-event';
import type { View } from '../../../apps/daemon/src/live/view';
import type { FromWorker, Reaction, ToWorker } from '../../../apps/daemon/src/strategies/worker/messages';
import { StrategyInstance } from '../../../apps/daemon/src/strategies/worker/strategy-instance';
import { simulatedStrategies } from './strategies';

/** Hears what strategies decide. */
export interface DecisionListener {
  decided(strategy: string, event: StrategyEvent, reaction: Reaction, view: View): void;
  /** A strategy begins with what it keeps. */
  began(strategy: string, state: StateText | null): void;
}

/** The texts of the strategy files, as their author has left them. */
export interface StrategyTexts {
  /** Grows with every change of the file. */
  versionOf(path: string): number;
}

/** How long a strategy takes for an event, in milliseconds. */
const handlingMs = 1;

/** Runs strategies in this process, in virtual time: each call to a thread is answered by a scheduled call. */
export class SimulatedStrategyHost implements StrategyHost {
  private readonly workers: SimulatedWorker[] = [];

  /** @param clock of the run of the daemon: its timers end with it */
  constructor(
    private readonly clock: Clock,
    private readonly texts: StrategyTexts,
    private readonly listener: DecisionListener,
  ) {}

  bundle(path: string): Promise<Bundle> {
    const code = `version ${this.texts.versionOf(path)} of ${path}`;
    return Promise.resolve({ code, file: `${path}.bundle.js`, source: path });
  }

  threads(): Promise<ThreadHost> {
    return Promise.resolve({ start: (_, listener) => this.started(listener) });
  }

  /** Ends one of the threads. @param which a share of their number */
  lose(which: number): void {
    const running = this.workers.filter(({ isOver }) => !isOver);
    running[Math.floor(which * running.length)]?.end('the thread ran out of memory');
  }

  private started(listener: WorkerListener): StrategyWorker {
    const worker = new SimulatedWorker(this.clock, listener, this.listener);
    this.workers.push(worker);
    return worker;
  }
}

/** One thread: it has the strategies that were loaded into it, and answers calls after a while. */
class SimulatedWorker implements StrategyWorker {
  isOver = false;
  private readonly instances = new Map<string, StrategyInstance>();

  constructor(
    private readonly clock: Clock,
    private readonly listener: WorkerListener,
    private readonly decisions: DecisionListener,
  ) {}

  post(message: ToWorker): void {
    this.clock.setTimer(handlingMs, () => {
      if (!this.isOver) this.listener.onMessage(this.answer(message));
    });
  }

  terminate(): Promise<void> {
    this.end('the thread was ended');
    return Promise.resolve();
  }

  end(problem: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener.onEnd(problem);
  }

  private answer(message: ToWorker): FromWorker {
    const { call } = message;
    switch (message.type) {
      case 'load': {
        const { name, source } = message.deployment;
        const strategy = simulatedStrategies.get(source);
        if (!strategy) return { type: 'refused', call, error: `no strategy ${source}` };
        const instance = new StrategyInstance(strategy, message.deployment);
        this.instances.set(name, instance);
        this.decisions.began(strategyOf(name), instance.loaded.state);
        return { type: 'loaded', call, loaded: instance.loaded };
      }
      case 'handle': {
        const instance = this.instances.get(message.name);
        if (!instance) return { type: 'refused', call, error: `no strategy ${message.name} in this thread` };
        const reaction = instance.handle(message.event, message.view);
        this.decisions.decided(strategyOf(message.name), message.event, reaction, message.view);
        const nowNanos = this.clock.monotonicMs() * 1e6;
        return { type: 'handled', call, reaction, startedNanos: nowNanos, endedNanos: nowNanos };
      }
      case 'adopt': {
        const instance = this.instances.get(message.name);
        if (!instance) return { type: 'refused', call, error: `no strategy ${message.name} in this thread` };
        const state = instance.adopt(message.state);
        this.decisions.began(strategyOf(message.name), state);
        return { type: 'adopted', call, state };
      }
      case 'unload':
        this.instances.delete(message.name);
        return { type: 'unloaded', call };
    }
  }
}

/** A thread knows a strategy by its name and the number of its seat. */
function strategyOf(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}
