import type { RiskSpec } from './strategy-spec';
import { unexplainedReason } from './position-evidence';
import type { IntentRecord } from './records';
import type { StrategyBook } from './strategy-book';

/** What a strategy owns and has requested. */
export interface Holdings {
  readonly book: StrategyBook;
  /** Requests of unknown outcome, and exits that are sent again. */
  readonly inFlight: readonly IntentRecord[];
}

/** The state of the daemon, of the gateway and of the market at the moment of an entry. */
export interface Circumstances {
  /** How late the bar was delivered that the entry was decided on, in milliseconds of market time; null: in time. */
  readonly staleBarMs: number | null;
  readonly stopping: boolean;
  /** Why the lease of the strategy permits no entries; null while it does, and without leases. */
  readonly leaseProblem: string | null;
  readonly accountMismatch: string | null;
  readonly stateWritable: boolean;
  /** Whether the strategy's handler left a `trade.state` that can be kept: else its entry would be forgotten. */
  readonly isStateKept: boolean;
  /** Why the account snapshot is not reliable; null while it is. */
  readonly accountProblem: string | null;
  readonly staleSymbol: boolean;
  /** Clock skew of the symbol if it exceeds the limit; else null. */
  readonly clockSkewMs: number | null;
}

/** Circumstances that deny nothing: those of a backtest, where nothing fails. */
export const undisturbed: Circumstances = {
  staleBarMs: null,
  stopping: false,
  leaseProblem: null,
  accountMismatch: null,
  stateWritable: true,
  isStateKept: true,
  accountProblem: null,
  staleSymbol: false,
  clockSkewMs: null,
};

/** Facts for the decision on an entry. */
interface EntryFacts extends Circumstances {
  /** Lots. */
  readonly volume: number;
  /** Open positions, pending orders, and entries in flight, each of which may have opened a position. */
  readonly openPositions: number;
  readonly risk: RiskSpec;
  readonly haltReason: string | null;
  /** Why the account contradicts the books of the strategy; null while it does not. */
  readonly unexplained: string | null;
  /** Requests in flight on the gateway of the entry. */
  readonly unresolved: number;
}

/** Why an entry is denied; null if it is allowed. */
type EntryRule = (facts: EntryFacts) => string | null;

/** What the limits of a strategy are compared with. */
type Size = Pick<EntryFacts, 'volume' | 'openPositions' | 'risk'>;

/** The limits of a strategy, in the order of evaluation. */
const sizeRules: readonly ((size: Size) => string | null)[] = [
  ({ volume }) => (volume > 0 ? null : 'the volume is not above 0'),
  ({ volume, risk }) =>
    risk.maxVolume !== null && volume > risk.maxVolume ? `volume ${volume} is above maxVolume ${risk.maxVolume}` : null,
  ({ openPositions, risk }) =>
    risk.maxOpenPositions !== null && openPositions >= risk.maxOpenPositions
      ? `maxOpenPositions ${risk.maxOpenPositions} reached`
      : null,
];

/** The rules for entries, in the order of evaluation. They do not apply to exits. */
const entryRules: readonly EntryRule[] = [
  ({ staleBarMs }) => (staleBarMs === null ? null : 'stale_bar'),
  ({ stopping }) => (stopping ? 'the daemon is shutting down' : null),
  ({ leaseProblem }) => leaseProblem,
  ({ haltReason }) => (haltReason === null ? null : `halted: ${haltReason}`),
  ({ accountMismatch }) => accountMismatch,
  ({ stateWritable }) => (stateWritable ? null : 'the state cannot be written'),
  ({ isStateKept }) => (isStateKept ? null : 'trade.state cannot be kept'),
  ({ unresolved }) => (unresolved === 0 ? null : 'the outcome of an earlier request is unknown'),
  ({ accountProblem }) => accountProblem,
  ({ unexplained }) => unexplained,
  ({ staleSymbol }) => (staleSymbol ? 'the quotes of the symbol are stale' : null),
  ({ clockSkewMs }) => (clockSkewMs === null ? null : `the broker's clock is off by ${Math.round(clockSkewMs)} ms`),
  ...sizeRules,
];

/** Why the limits of a strategy deny an entry, where nothing else can; null if they allow it. */
export function sizeDenied(size: Size): string | null {
  return first(sizeRules, size);
}

/**
 * Why an entry is denied; null if every rule allows it.
 * @param volume lots
 * @param broker its gateway: an unknown outcome on one gateway does not stop entries on the others
 */
export function entryDenied(
  volume: number,
  broker: string,
  { book, inFlight }: Holdings,
  circumstances: Circumstances,
): string | null {
  const { staleBarMs, stopping, leaseProblem, accountMismatch, stateWritable, isStateKept } = circumstances;
  const { accountProblem, staleSymbol, clockSkewMs } = circumstances;
  const facts: EntryFacts = {
    staleBarMs,
    stopping,
    leaseProblem,
    accountMismatch,
    stateWritable,
    isStateKept,
    accountProblem,
    staleSymbol,
    clockSkewMs,
    volume,
    openPositions: book.openTickets.length + inFlight.filter(({ isEntry }) => isEntry).length,
    risk: book.spec.risk,
    haltReason: book.record.halt?.reason ?? null,
    unexplained: unexplainedReason(book.unexplained(broker)),
    unresolved: inFlight.filter((record) => record.broker === broker).length,
  };
  return first(entryRules, facts);
}

function first<Facts>(rules: readonly ((facts: Facts) => string | null)[], facts: Facts): string | null {
  for (const rule of rules) {
    const reason = rule(facts);
    if (reason !== null) return reason;
  }
  return null;
}
