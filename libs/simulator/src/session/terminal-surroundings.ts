import type { AccountChange } from '@libs/terminal-client';
import type { Broker } from './broker';

/** A session that can be cut off. */
export interface AttachedSession {
  drop(reason: string): void;
  /** The account changed. */
  changed(change: AccountChange): void;
}

/** What the terminal needs of the simulator around it. */
export interface TerminalHost {
  /** The broker at this instant, or null while the simulator is not running. */
  brokerNow(): Broker | null;
  /** Milliseconds until the market reaches an instant (UTC milliseconds); null unless it keeps step with the clock. */
  untilMs(marketMs: number): number | null;
  /** Something was done: keep it before it is reported. @throws StateFileError when it cannot be kept */
  save(): void;
  /** False when what is done could not be kept over a restart. */
  canSave(): boolean;
}
