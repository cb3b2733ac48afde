import { StoreWriteError } from '@libs/store';

/** A lease that was taken: its row still has the token until another holder takes it. */
export interface Lease {
  /** Of a standalone strategy or of a whole portfolio. */
  readonly name: string;
  /** Grows with each holder: a fencing token. */
  readonly token: number;
}

/** Another holder took the lease: nothing was written, and nothing ever will be under this token. */
export class LeaseLostError extends StoreWriteError {
  constructor(readonly lease: Lease) {
    super(`the lease ${lease.name} with token ${lease.token} was taken by another holder`);
  }
}
