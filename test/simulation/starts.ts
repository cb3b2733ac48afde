import { SeededRandom } from './seeded-random';

/** The first instants of runs, in UTC milliseconds; the server's clock is that of Athens. A run is ready a minute later. */
const instants = {
  /** A Wednesday. */
  usual: Date.UTC(2026, 0, 7, 10),
  /** The server's day ends three minutes after the start. */
  'end of a day': Date.UTC(2026, 0, 7, 21, 57),
  /** The server's clock is set from 3:00 to 4:00 three minutes after the start. */
  'summer time begins': Date.UTC(2026, 2, 29, 0, 57),
  /** The server's clock is set from 4:00 to 3:00 three minutes after the start. */
  'summer time ends': Date.UTC(2026, 9, 25, 0, 57),
} as const;

/** When a run begins. */
export type Start = keyof typeof instants;

const unusualStarts = ['end of a day', 'summer time begins', 'summer time ends'] as const satisfies Start[];

/** Most seeds begin at the usual instant. */
export function startOf(seed: number): Start {
  const random = new SeededRandom(`start ${seed}`);
  return random.chance(0.7) ? 'usual' : random.pick(unusualStarts);
}

/** The first instant of a run, in UTC milliseconds. */
export function startMsOf(start: Start = 'usual'): number {
  return instants[start];
}
