import type { AuditFacts } from '../audit/audit-event';
import type { FenceClaim } from '../trade-core/fence';

/** The fence of a request for its audit lines. */
export function fenceFacts(claim: FenceClaim | null): Pick<AuditFacts, 'fence' | 'fence_token'> {
  return { fence: claim?.name ?? null, fence_token: claim?.token ?? null };
}
