import { sentThoughHalted } from '../invariants/halted';
import type { SendRecord } from '../sends';
import type { LastPause } from './last-pause';
import type { JudgeWorld } from './world';

/** The switch is read right before the send that it lets pass, in one call to a disk; a call that began on a slow one may end later. */
const marginMs = 1;

/** Since when trading is certainly halted. */
export class Halts {
  private since: { readonly ms: number; readonly run: number | null } | null = null;

  constructor(
    private readonly world: JudgeWorld,
    private readonly pause: LastPause,
  ) {}

  /** Virtual milliseconds; null while trading may be on. */
  get sinceMs(): number | null {
    return this.since?.ms ?? null;
  }

  /** @param run the run that holds the halt in memory; null when the file is there */
  begin(run: number | null): void {
    this.since ??= { ms: this.world.time.elapsedMs, run };
  }

  maybeReleased(): void {
    this.since = null;
  }

  /** A halt that the run held in memory may be forgotten. */
  runEnded(run: number): void {
    if (this.since?.run === run) this.since = null;
  }

  problems(send: SendRecord): string[] {
    const { sinceMs } = this;
    const pausedMs = sinceMs === null ? 0 : this.pause.nearMs(sinceMs);
    return sentThoughHalted(send, sinceMs, marginMs + 2 * this.world.diskCallMs() + pausedMs);
  }
}
