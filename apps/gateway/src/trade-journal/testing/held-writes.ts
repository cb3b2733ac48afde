import { machineFiles, type Files } from '@libs/files';
import { lmdbStores, type StoreEngine } from '@libs/store';

/** Calls that wait while a test holds them. */
export class Gate {
  private gate: Promise<void> = Promise.resolve();
  private open: () => void = () => undefined;
  private refuse: (error: Error) => void = () => undefined;
  private passing = 0;
  /** Calls that have waited or wait. */
  held = 0;

  /** @param after calls that pass before */
  hold(after = 0): void {
    this.passing = after;
    this.held = 0;
    this.gate = new Promise((resolve, reject) => {
      this.open = resolve;
      this.refuse = reject;
    });
  }

  release(): void {
    this.open();
  }

  /** The calls that wait fail; later ones pass. */
  fail(error: Error): void {
    this.refuse(error);
    this.gate = Promise.resolve();
  }

  async pass(): Promise<void> {
    if (this.passing-- > 0) return;
    this.held++;
    await this.gate;
  }
}

/** Files in which a text that contains a part is not written while the gate is held. */
export function filesWith(gate: Gate, part: string): Files {
  const files = Object.create(machineFiles) as { open: Files['open'] } & Omit<Files, 'open'>;
  files.open = async (...place) => {
    const file = await machineFiles.open(...place);
    const append = file.appendFile.bind(file);
    return Object.assign(file, {
      appendFile: async (text: string) => {
        if (text.includes(part)) await gate.pass();
        await append(text);
      },
    });
  };
  return files;
}

/** Stores that write nothing to the trade journal while the gate is held. */
export function storesWith(gate: Gate): StoreEngine {
  return {
    open: (options, define) => {
      const store = lmdbStores.open(options, define);
      if (options.name !== 'the trade journal') return store;
      const write: typeof store.write = async (change) => {
        await gate.pass();
        await store.write(change);
      };
      return new Proxy(store, {
        get(target, name) {
          if (name === 'write') return write;
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
    },
  };
}
