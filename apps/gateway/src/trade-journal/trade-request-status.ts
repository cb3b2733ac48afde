import type { StoredStatus } from '@libs/request-life';

/** Status in GET /trade_requests/{key}: of a request, or of a key that was made void instead. */
export type ReportedStatus = StoredStatus | 'void';
