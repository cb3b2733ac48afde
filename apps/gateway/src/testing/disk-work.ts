import { machineFiles, type Files, type OpenFile } from '@libs/files';
import { lmdbStores, type StoreEngine } from '@libs/store';

/** The machine's own stores and files, with the calls under way, for which virtual time waits. */
export class DiskWork {
  readonly stores: StoreEngine = {
    open: (options, define) => this.watched(lmdbStores.open(options, define)),
  };
  readonly files: Files = this.watched(machineFiles, {
    open: async (...file) => this.watched<OpenFile>(await machineFiles.open(...file)),
  });
  private readonly running = new Set<Promise<unknown>>();

  /** Resolves once no call is under way, and what waited for the calls has gone on. */
  async idle(): Promise<void> {
    while (this.running.size > 0) {
      await Promise.allSettled(this.running);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private watched<T extends object>(parts: T, replaced: Partial<T> = {}): T {
    return new Proxy(parts, {
      get: (target, property) => {
        const member: unknown = Reflect.get(property in replaced ? replaced : target, property, target);
        if (typeof member !== 'function') return member;
        return (...values: readonly unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, target, values);
          if (result instanceof Promise) this.watch(result);
          return result;
        };
      },
    });
  }

  private watch(call: Promise<unknown>): void {
    this.running.add(call);
    const ended = (): boolean => this.running.delete(call);
    call.then(ended, ended);
  }
}
