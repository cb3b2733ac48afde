import { executedOverLimit, overLimit, type OpenLots } from '../invariants/limits';
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
    const inTransit = this.world.sends.filter(({ fate }) => fate === 'in transit');
    return overLimit(send, this.world.limits, this.lots(send, inTransit), this.entriesOfTheMinute(send));
  }

  /** The broker has just executed a send. */
  problemsOfExecuted(send: SendRecord): string[] {
    return executedOverLimit(send, this.world.limits, this.lots(send, []));
  }

  /** Lots open at the broker, and those of entries that may still be done. */
  private lots({ request: { symbol } }: SendRecord, inTransit: readonly SendRecord[]): OpenLots {
    const { broker } = this.world;
    const added = (sends: readonly SendRecord[]): number => sends.reduce((sum, { addedLots }) => sum + addedLots, 0);
    const ofSymbol = inTransit.filter(({ request }) => request.symbol === symbol);
    return {
      all: broker.openLots() + added(inTransit),
      ofSymbol: broker.openLots(symbol) + added(ofSymbol),
    };
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
