import type { Strategy } from '@libs/strategy';
import type { StrategyHost } from '../daemon.edge';
import type { Bundle } from '../strategies/strategy-bundler';
import type { StrategyWorker, ThreadHost, WorkerListener } from '../strategies/thread-host';
import type { FromWorker, ToWorker } from '../strategies/worker/messages';
import { StrategyInstance } from '../strategies/worker/strategy-instance';

/** Strategies that run in the process of a test. The text of a strategy file is the name of a strategy in {@link known}. */
export class InlineStrategies implements StrategyHost {
  /** The texts of the strategy files, by their paths. */
  readonly files = new Map<string, string>();
  /** The texts that were loaded, in their order. */
  readonly loads: string[] = [];
  private readonly threadsWith = new Map<StrategyWorker, WorkerListener>();

  constructor(private readonly known: Readonly<Record<string, Strategy>>) {}

  bundle(path: string): Promise<Bundle> {
    const code = this.files.get(path);
    if (code === undefined) return Promise.reject(new Error(`${path} does not exist`));
    return Promise.resolve({ code, file: `${path}.js`, source: path });
  }

  threads(): Promise<ThreadHost> {
    return Promise.resolve({ start: (_, listener) => this.started(listener) });
  }

  /** Threads that have not ended. */
  get running(): number {
    return this.threadsWith.size;
  }

  private started(listener: WorkerListener): StrategyWorker {
    const instances = new Map<string, StrategyInstance>();
    const worker: StrategyWorker = {
      post: (message) =>
        setImmediate(() => {
          if (this.threadsWith.has(worker)) listener.onMessage(this.answer(message, instances));
        }),
      terminate: () => {
        if (this.threadsWith.delete(worker)) listener.onEnd('the thread was ended');
        return Promise.resolve();
      },
    };
    this.threadsWith.set(worker, listener);
    return worker;
  }

  private answer(message: ToWorker, instances: Map<string, StrategyInstance>): FromWorker {
    const { call } = message;
    try {
      if (message.type === 'load') {
        const { code, name } = message.deployment;
        this.loads.push(code);
        const strategy = this.known[code];
        if (!strategy) throw new Error(`${code} is not a strategy`);
        const instance = new StrategyInstance(strategy, message.deployment);
        instances.set(name, instance);
        return { type: 'loaded', call, loaded: instance.loaded };
      }
      const instance = instances.get(message.name);
      if (message.type === 'unload' || !instance) return { type: 'unloaded', call };
      if (message.type === 'adopt') return { type: 'adopted', call, state: instance.adopt(message.state) };
      const reaction = instance.handle(message.event, message.view);
      return { type: 'handled', call, reaction, startedNanos: 0, endedNanos: 0 };
    } catch (error) {
      return { type: 'refused', call, error: error instanceof Error ? error.message : String(error) };
    }
  }
}
