import type { Change, IntentRecord } from '../core/records';
import type { ExitJournal, ExitRecord } from './exit-journal';
import { StateWriteError, type StateStore } from './state-store';

export interface UnitStateOptions {
  readonly unit: string;
  /** Of the lease that the state is written under. */
  readonly token: number;
  readonly store: StateStore;
  /** Exits of this host that the database did not take; null: none are kept. */
  readonly exits: ExitJournal | null;
}

/** The state of a unit under one lease. Exits that the database does not take are kept on this host, and are merged first. */
export class UnitState {
  constructor(private readonly options: UnitStateOptions) {}

  get unit(): string {
    return this.options.unit;
  }

  get store(): StateStore {
    return this.options.store;
  }

  /** Writes the exits that are kept on this host. @throws StateWriteError, also when one of them cannot be read */
  async merge(): Promise<void> {
    const kept = this.kept();
    if (kept.length > 0) await this.writeAfter(kept, {});
  }

  /** Writes a change after the exits that are kept. @throws StateWriteError; exits of the change are kept then */
  async write(change: Change): Promise<void> {
    const { unit, store, exits } = this.options;
    try {
      // While the unit runs, an exit that cannot be read or merged stops no write.
      const kept = exits?.mergeable(unit, ({ strategy, key }) => void store.intent(strategy, key)) ?? [];
      await this.writeAfter(kept, change);
    } catch (error) {
      // Also under a lost lease: its exits are sent, and a gateway may take them until the next holder has raised the fence.
      await this.keep(change, error);
      throw error;
    }
  }

  private async writeAfter(kept: readonly ExitRecord[], change: Change): Promise<void> {
    const { unit, store, exits } = this.options;
    // The state may have removed an outdated one, which must not come back.
    const current = kept.filter((exit) => exits?.isOutdated(exit) === false);
    await store.write(
      change,
      current.map((exit) => this.requestOf(exit)),
    );
    // What stays behind is known to the state at the next merge.
    await exits?.merged(unit, kept).catch(() => undefined);
  }

  /** The exit is sent also if no disk takes it: a position that cannot be closed is worse. */
  private async keep(change: Change, problem: unknown): Promise<void> {
    const { unit, token, exits } = this.options;
    await exits?.keep(unit, token, change).catch((error: unknown) => {
      throw new StateWriteError(
        `${messageOf(problem)}; the exit could not be written on this host either: ${messageOf(error)}`,
        {
          cause: problem,
        },
      );
    });
  }

  /** Since an earlier lease, another host may have managed the position of the exit. */
  private requestOf({ token, intent }: ExitRecord): IntentRecord {
    return token === this.options.token ? intent : { ...intent, isOfEarlierLease: true };
  }

  private kept(): readonly ExitRecord[] {
    const { unit, exits } = this.options;
    try {
      return exits?.of(unit) ?? [];
    } catch (error) {
      throw new StateWriteError(messageOf(error), { cause: error });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
