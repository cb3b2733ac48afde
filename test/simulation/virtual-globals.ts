import * as crypto from 'node:crypto';
import * as timers from 'node:timers';
import * as promisedTimers from 'node:timers/promises';
import type { Timer } from '@libs/clock';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

/** The randomness of a process. */
export interface Randomness {
  /** Everything random comes from these numbers from now on. */
  restart(random: SeededRandom): void;
}

/**
 * Puts virtual time and seeded randomness in the place of the process's own: for all code that is loaded, because the
 * frameworks use them too. Call it once, before anything else is loaded; there is no way back.
 */
export function installVirtualGlobals(time: VirtualTime, random: SeededRandom): Randomness {
  installDate(time);
  installTimers(time);
  const randomness = installRandomness(random);
  const nowNs = (): bigint => BigInt(Math.round(time.elapsedMs * 1_000)) * 1_000n;
  const hrtime = (): [number, number] => [Math.floor(time.elapsedMs / 1_000), (time.elapsedMs % 1_000) * 1_000_000];
  Object.defineProperty(process, 'hrtime', { value: Object.assign(hrtime, { bigint: nowNs }) });
  Object.defineProperty(process, 'uptime', { value: () => time.elapsedMs / 1_000 });
  Object.defineProperty(performance, 'now', { value: () => time.elapsedMs });
  return randomness;
}

function installDate(time: VirtualTime): void {
  const now = (): number => Math.floor(time.nowMs);
  Object.defineProperty(Date, 'now', { value: now });
  globalThis.Date = new Proxy(Date, {
    construct: (target, values: [], newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget) as object,
    apply: () => new Date(now()).toString(),
  });
}

/** What `setTimeout` and its like return. */
class VirtualHandle {
  private timer: Timer;

  constructor(private readonly begin: () => Timer) {
    this.timer = begin();
  }

  cancel(): void {
    this.timer.cancel();
  }

  refresh(): this {
    this.timer.cancel();
    this.timer = this.begin();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

function installTimers(time: VirtualTime): void {
  const cancel = (handle: unknown): void => {
    if (handle instanceof VirtualHandle) handle.cancel();
  };
  type Callback = (...values: unknown[]) => void;
  const functions = {
    setTimeout: (run: Callback, ms = 0, ...values: unknown[]) =>
      new VirtualHandle(() => time.schedule(Math.max(1, ms), () => run(...values))),
    setInterval: (run: Callback, ms = 0, ...values: unknown[]) => {
      const handle: VirtualHandle = new VirtualHandle(() =>
        time.schedule(Math.max(1, ms), () => {
          handle.refresh();
          run(...values);
        }),
      );
      return handle;
    },
    setImmediate: (run: Callback, ...values: unknown[]) => new VirtualHandle(() => time.defer(() => run(...values))),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  };
  Object.assign(globalThis, functions);
  Object.assign(moduleObject(timers), functions);
  Object.assign(moduleObject(promisedTimers), {
    setTimeout: (ms: number, value?: unknown) =>
      new Promise((resolve) => void time.schedule(Math.max(1, ms), () => resolve(value))),
    setImmediate: (value?: unknown) => new Promise((resolve) => void time.defer(() => resolve(value))),
  });
}

function installRandomness(first: SeededRandom): Randomness {
  let random = first;
  Object.defineProperty(Math, 'random', { value: () => random.next() });
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    random.bytes(bytes.length).copy(bytes);
    return view;
  };
  const functions = {
    randomUUID: () => seededId(random),
    randomBytes: (size: number) => random.bytes(size),
    randomFillSync: fill,
    randomInt: (from: number, to?: number) =>
      to === undefined ? random.integer(0, from - 1) : random.integer(from, to - 1),
  };
  Object.assign(moduleObject(crypto), functions);
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: functions.randomUUID });
  Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: fill });
  return { restart: (next) => void (random = next) };
}

/** An id in the form of a random UUID. */
export function seededId(random: SeededRandom): string {
  const hex = random.bytes(16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

/** The module itself: what `import * as` gives is a copy of its members. */
function moduleObject(namespace: object): object {
  return 'default' in namespace && typeof namespace.default === 'object' && namespace.default !== null
    ? namespace.default
    : namespace;
}
