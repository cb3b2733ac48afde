import { readFileSync } from 'node:fs';
import type { AnyPlan } from './any-plan';
import { SeededRandom } from './seeded-random';
import { installVirtualGlobals } from './virtual-globals';
import { VirtualTime } from './virtual-time';

/** The first instant of every run: a Wednesday, so that markets are open. */
const startMs = Date.UTC(2026, 0, 7, 10);

/** What this process runs: the plan in the file that its first argument names. */
export const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as AnyPlan;

/** The time of this process. Import this module before any other: what is loaded after it knows no other time. */
export const time = new VirtualTime(startMs);

installVirtualGlobals(time, new SeededRandom(`globals ${plan.seed}`));
