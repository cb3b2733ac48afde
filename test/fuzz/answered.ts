import type { VirtualClock } from '@libs/clock';

/** Turns of one instant before time has to pass: a request needs some dozens. */
const turnsOfRequest = 100;
/** The same for a program that works on a real disk: an answer takes some dozens, unless the machine is very busy. */
export const turnsOfDisk = 200_000;
const stepMs = 100;
/** After this much virtual time a request counts as one without an answer: the longest wait of the product is shorter. */
const longestMs = 180_000;

/** The program does not answer. */
export class NoAnswerError extends Error {}

/** Lets the simulated disk work, and time pass when that is not enough, until a request is answered. @throws NoAnswerError */
export async function answered<T>(
  clock: VirtualClock,
  pending: Promise<T>,
  turnsOfInstant = turnsOfRequest,
): Promise<T> {
  let isDone = false;
  const watched = pending.finally(() => (isDone = true));
  watched.catch(() => undefined);
  for (let turn = 0, passedMs = 0; !isDone; turn++) {
    if (passedMs > longestMs) throw new NoAnswerError(`no answer within ${longestMs / 1_000} virtual seconds`);
    const ms = turn < turnsOfInstant ? 0 : stepMs;
    await clock.advance(ms);
    passedMs += ms;
  }
  return watched;
}
