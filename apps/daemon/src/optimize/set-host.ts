import type { SetJob, SetOutcome } from './set-run';

/** A place where sets run, one at a time. */
export interface SetHost {
  /** Never throws. Null when the host was ended before the run was. */
  run(job: SetJob): Promise<SetOutcome | null>;
  /** Ends the run in progress, if any. */
  end(): void;
}
