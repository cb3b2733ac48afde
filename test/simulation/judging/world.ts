import type { AskBook } from '../asks';
import type { SimulatedBroker } from '../broker';
import type { Limits } from '../invariants/limits';
import type { SendRecord } from '../sends';
import type { VirtualTime } from '../virtual-time';

/** What the judge of a gateway can see. */
export interface JudgeWorld {
  readonly time: VirtualTime;
  readonly broker: SimulatedBroker;
  readonly book: AskBook;
  /** All sends so far. */
  readonly sends: readonly SendRecord[];
  /** When the write of each intent began that is in the journal, on disk: virtual milliseconds by its id. */
  readonly journaled: ReadonlyMap<string, number>;
  /** The last crash may have taken outcomes that the audit log could not write. */
  readonly hasLostLines: () => boolean;
  /** Both disks may refuse writes now. */
  readonly mayLoseExits: () => boolean;
  /** How long a call to a disk takes now, at most, in milliseconds. */
  readonly diskCallMs: () => number;
  readonly login: number;
  readonly limits: Limits;
  /** Since when a disk of the gateway takes no writes; null while all of them do. */
  readonly unwritableSince: () => number | null;
  /** By how much the terminal's lists may be late now, in milliseconds. */
  readonly listsLateMs: () => number;
  /** The gateway's wall clock is not that of the world. */
  readonly isClockOff: () => boolean;
  /** Since when the terminal cannot be reached; null while it can. */
  readonly unreachableSince: () => number | null;
}

/** Names a broken invariant. No problems: it holds. */
export type Report = (invariant: string, problems: readonly string[]) => void;

/** A disk that takes no writes, and a link that is down, are noticed within this time. */
export const noticedWithinMs = 5_000;
