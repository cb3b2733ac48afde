import type { AnyPlan } from './any-plan';
import { SeededRandom } from './seeded-random';
import { startMsOf } from './starts';
import { installVirtualGlobals } from './virtual-globals';
import { VirtualTime } from './virtual-time';

/** The time of this process. Import this module before any other: what is loaded after it has no other time. */
export const time = new VirtualTime(startMsOf());

const randomness = installVirtualGlobals(time, new SeededRandom('while the process loads'));

/** Starts the time and the randomness of the process afresh, for one run of a plan. What earlier runs had scheduled is dropped. */
export function beginRun({ seed, start }: AnyPlan): void {
  time.restart(startMsOf(start));
  randomness.restart(new SeededRandom(`globals ${seed}`));
}
