import type { accountEvidenceFields, RecordOf, unexplainedFields } from '@libs/records';
import type { Unexplained } from '@libs/account-evidence';
import type { EvidenceStatus } from './account-evidence';

/** Rows in question that are listed at most. */
const mostRows = 100;

/** The account's part of GET /health. */
export interface EvidenceReport extends RecordOf<typeof accountEvidenceFields> {
  readonly unexplained: readonly RecordOf<typeof unexplainedFields>[];
}

export function evidenceReport({
  state,
  sinceMs,
  explainedAtMs,
  unexplained,
  nextStep,
}: EvidenceStatus): EvidenceReport {
  return {
    state,
    since: new Date(sinceMs).toISOString(),
    explained_at: explainedAtMs === null ? null : new Date(explainedAtMs).toISOString(),
    next_step: nextStep,
    unexplained: unexplained.slice(0, mostRows).map(rowOf),
  };
}

function rowOf({ kind, ticket, symbol, message }: Unexplained): RecordOf<typeof unexplainedFields> {
  return { kind, ticket, symbol, message };
}
