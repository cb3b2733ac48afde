import { readFileSync } from 'node:fs';
import type { AnyPlan } from './any-plan';
import { SeededRandom } from './seeded-random';
import { startMsOf } from './starts';
import { installVirtualGlobals } from './virtual-globals';
import { VirtualTime } from './virtual-time';

/** What this process runs: the plan in the file that its first argument names. */
export const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as AnyPlan;

/** The time of this process. Import this module before any other: what is loaded after it knows no other time. */
export const time = new VirtualTime(startMsOf(plan.start));

installVirtualGlobals(time, new SeededRandom(`globals ${plan.seed}`));
