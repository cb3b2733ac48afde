import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TinyDisk } from '../e2e/programs/tiny-disk';
import { pause, type ChaosGateway } from './chaos-gateway';

/** Does something to the gateway under load, and leaves it running. */
export type Fault = (gateway: ChaosGateway) => Promise<void>;

const between = (low: number, high: number): number => low + Math.random() * (high - low);

export const kill: Fault = async (gateway) => {
  await gateway.kill();
  await gateway.start();
};

/** Longer than a trade may take at times: its answer has come meanwhile, or its time is over. */
export const freeze: Fault = async (gateway) => {
  gateway.freeze();
  await pause(between(50, 3_000));
  gateway.thaw();
};

/** The journal's disk has no byte left until after the gateway has noticed; every other time the gateway is killed on it. */
export function fullDisk(disk: TinyDisk): Fault {
  let times = 0;
  return async (gateway) => {
    disk.fill();
    while (!(await gateway.call('GET', '/health'))?.text.includes('"state":"unavailable"')) await pause(20);
    await pause(between(50, 1_500));
    if (times++ % 2 === 1) await kill(gateway);
    disk.makeSpace();
  };
}

const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu', '.'].map((folder) =>
  join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'),
);

/** Seconds; each is a jump from the one before. */
const offsets = [7_200, -3_600, 30, -7_200, 5_400];

/** The wall clock of programs that run with its environment, set by a file. Their monotonic clock goes on. */
export class SteeredClock {
  /** Where libfaketime is; undefined without it. */
  static readonly library = libraries.find((path) => existsSync(path));
  private readonly file: string;
  private shifts = 0;

  constructor(folder: string) {
    this.file = join(folder, 'clock');
    this.set(0);
  }

  get env(): Record<string, string> {
    if (SteeredClock.library === undefined) throw new Error('this suite needs libfaketime, which is not installed');
    return {
      LD_PRELOAD: SteeredClock.library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** @param seconds ahead of the machine's clock; below zero, behind it */
  set(seconds: number): void {
    writeFileSync(this.file, `${seconds < 0 ? '' : '+'}${Math.round(seconds)}s\n`);
  }

  /** Two hours ahead first, then to and fro. */
  readonly shift: Fault = async () => {
    this.set(offsets[this.shifts++ % offsets.length] ?? 0);
    await pause(between(500, 2_000));
  };
}
