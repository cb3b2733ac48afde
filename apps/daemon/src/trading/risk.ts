import type { RiskSpec } from '../daemon-file/daemon-file';

/** What is known when a strategy wants to enter. */
export interface EntryFacts {
  /** Lots. */
  readonly volume: number;
  /** Open positions and pending orders. */
  readonly openPositions: number;
  readonly risk: RiskSpec;
  readonly haltReason: string | null;
  /** Intents whose outcome is not known. */
  readonly unresolved: number;
  readonly stopping: boolean;
  /** Why the view of the account is not to be relied on; null while it is. */
  readonly accountProblem: string | null;
  readonly stateWritable: boolean;
  readonly accountMismatch: string | null;
  readonly staleSymbol: boolean;
  /** How far the symbol's clock is off, when that is too far. */
  readonly clockSkewMs: number | null;
}

/** Why an entry may not be; null when it may. */
type EntryRule = (facts: EntryFacts) => string | null;

/** Every rule an entry has to pass, in the order they are asked. None of them ever stops an exit. */
const entryRules: readonly EntryRule[] = [
  ({ stopping }) => (stopping ? 'the daemon is shutting down' : null),
  ({ haltReason }) => (haltReason === null ? null : `halted: ${haltReason}`),
  ({ accountMismatch }) => accountMismatch,
  ({ stateWritable }) => (stateWritable ? null : 'the state cannot be written'),
  ({ unresolved }) => (unresolved === 0 ? null : 'the outcome of an earlier request is not known yet'),
  ({ accountProblem }) => accountProblem,
  ({ staleSymbol }) => (staleSymbol ? 'the symbol has no fresh prices' : null),
  ({ clockSkewMs }) => (clockSkewMs === null ? null : `the broker's clock is off by ${Math.round(clockSkewMs)} ms`),
  ({ volume }) => (volume > 0 ? null : 'the volume is not above 0'),
  ({ volume, risk }) =>
    risk.maxVolume !== null && volume > risk.maxVolume ? `volume ${volume} is above maxVolume ${risk.maxVolume}` : null,
  ({ openPositions, risk }) =>
    risk.maxOpenPositions !== null && openPositions >= risk.maxOpenPositions
      ? `maxOpenPositions ${risk.maxOpenPositions} are open already`
      : null,
];

/** Why an entry is denied; null when every rule lets it pass. */
export function entryDenied(facts: EntryFacts): string | null {
  for (const rule of entryRules) {
    const reason = rule(facts);
    if (reason !== null) return reason;
  }
  return null;
}
