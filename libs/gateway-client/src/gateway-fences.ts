import type { FenceRecord, RaiseFenceRequest } from './fence-records';
import { GatewayReadError } from './read-error';
import type { Reader } from './reader';
import { shapes } from './shapes';

/** What came of a raise. */
export type RaiseOutcome =
  /** No send under a lower token is possible from now on, and each earlier one has its outcome or counts as unknown. */
  | { readonly kind: 'raised'; readonly fence: FenceRecord }
  /** Nothing was raised: the token must exceed `stored`, or add no magic number. */
  | { readonly kind: 'conflict'; readonly stored: number; readonly error: string };

/** The fences of strategies, for programs that take a lease before they trade. */
export class GatewayFences {
  constructor(
    private readonly reader: Reader,
    private readonly timeoutMs: number,
  ) {}

  /** All fences by name. @throws GatewayReadError if there is no answer, as in the other methods */
  async all(): Promise<FenceRecord[]> {
    return shapes.fence.rows(await this.reader.get('/fences'));
  }

  /** The fence of a strategy; null if it never had one in this journal. */
  async find(strategy: string): Promise<FenceRecord | null> {
    const body = await this.reader.find(pathOf(strategy));
    return body === null ? null : shapes.fence.record(body);
  }

  /** Raises a fence. After a GatewayReadError it may be raised; the same call may be repeated. */
  async raise(strategy: string, request: RaiseFenceRequest): Promise<RaiseOutcome> {
    const { timeoutMs } = this;
    const body = await this.reader.put(pathOf(strategy), { body: request, timeoutMs, answerType: 'fence_conflict' });
    if (typeof body !== 'object' || body === null || !('error_type' in body)) {
      return { kind: 'raised', fence: shapes.fence.record(body) };
    }
    const stored = 'details' in body ? storedIn(body.details) : null;
    if (stored === null) throw new GatewayReadError('malformed', 'fence_conflict without the stored token', 409);
    return { kind: 'conflict', stored, error: 'error' in body ? String(body.error) : '' };
  }
}

function pathOf(strategy: string): string {
  return `/fences/${encodeURIComponent(strategy)}`;
}

function storedIn(details: unknown): number | null {
  const stored = typeof details === 'object' && details !== null && 'stored' in details ? details.stored : null;
  return typeof stored === 'number' ? stored : null;
}
