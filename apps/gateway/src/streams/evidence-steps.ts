/** What is done about an account that stays unexplained. */
export type EvidenceStep = 'renew' | 'restart';

export interface EvidenceSteps {
  /** The next step; null: only a person can settle it, and a new session is tried from time to time. */
  readonly next: EvidenceStep | null;
  /** How long the account has to stay unexplained before it, in milliseconds. */
  readonly afterMs: number;
  /** Least time since the step before it, in milliseconds: a new session loads its lists in that time. */
  readonly restMs: number;
  /** In words, for the operator. */
  readonly text: string;
}

const renewAfterMs = 10_000;
const secondAfterMs = 60_000;
const restMs = secondAfterMs - renewAfterMs;
const againEveryMs = 300_000;

/** Before a person: a new session, then the restart of the terminal, if the gateway runs it and may restart it. */
export function nextStep(done: number, mayRestart: boolean): EvidenceSteps {
  if (done === 0) {
    return { next: 'renew', afterMs: renewAfterMs, restMs: 0, text: 'a new session with the terminal, after 10 s' };
  }
  if (done === 1) {
    return mayRestart
      ? { next: 'restart', afterMs: secondAfterMs, restMs, text: 'the restart of the terminal, after 60 s' }
      : { next: 'renew', afterMs: secondAfterMs, restMs, text: 'another session with the terminal, after 60 s' };
  }
  const text = 'a person: compare the account with the broker, then restart the terminal or POST /account/accept';
  return { next: null, afterMs: againEveryMs * (done - 1), restMs, text };
}
