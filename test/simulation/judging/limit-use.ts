import { overLimit } from '../invariants/limits';
import type { SendRecord } from '../sends';
import type { LostMemory } from './lost-memory';
import type { JudgeWorld } from './world';

const minuteMs = 60_000;
/** The journal keeps times in whole milliseconds. */
const roundingMs = 1;

/** How much of its limits the gateway has used. */
export class LimitUse {
  constructor(
    private readonly world: JudgeWorld,
    private readonly lost: LostMemory,
  ) {}

  problems(send: SendRecord): string[] {
    return overLimit(send, this.world.limits, this.lots(), this.entriesOfTheMinute(send));
  }

  /** Lots open at the broker, and entries that may still be done. */
  private lots(): number {
    const inTransit = this.world.sends.filter(({ fate }) => fate === 'in transit');
    return inTransit.reduce((sum, { addedLots }) => sum + addedLots, this.world.broker.openLots);
  }

  private entriesOfTheMinute(send: SendRecord): number {
    const { time, journaled, sends } = this.world;
    const sinceMs = time.elapsedMs - minuteMs;
    // After a restart the time of the intent counts, which is written some time before its send.
    const countsFromMs = ({ atMs, run, intentId }: SendRecord): number =>
      run === send.run ? atMs : (journaled.get(intentId) ?? atMs) - roundingMs;
    const isRecent = (other: SendRecord): boolean =>
      countsFromMs(other) > sinceMs &&
      other.atMs > this.lost.rateForgottenAtMs &&
      other.addedLots > 0 &&
      !other.isRefused &&
      other.fate !== 'lost' &&
      other.fate !== 'dropped';
    // One entry may be sent with several fillings.
    const entries = new Set(sends.filter(isRecent).map(requestOf));
    entries.delete(requestOf(send));
    return entries.size;
  }
}

/** The trade request of the gateway that a send belongs to. */
function requestOf({ intentId }: SendRecord): string {
  return intentId.slice(0, intentId.lastIndexOf('/'));
}
