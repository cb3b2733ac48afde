import { UsageError } from '@libs/command-line';
import { digestOf, requestText } from '../trading/handle-record';
import type { HandleStore } from '../trading/handle.store';

/** What a command works with. */
export interface ApprovalEdge {
  readonly store: HandleStore;
  readonly nowMs: number;
  readonly out: (line: string) => void;
  /** One line of the person; empty at the end of the input. */
  readonly ask: (question: string) => Promise<string>;
}

/** Lists the requests that wait for a decision. */
export function listPending({ store, nowMs, out }: Omit<ApprovalEdge, 'ask'>): number {
  const open = store.open(nowMs);
  if (open.length === 0) out('No request waits for an approval.');
  for (const record of open) {
    const state = store.isApproved(record) ? 'approved' : 'waits';
    out(
      `${record.handle}  ${state}, valid until ${new Date(record.expiresMs).toISOString()}\n${requestText(record)}\n`,
    );
  }
  return 0;
}

/** Shows the exact request, and approves it if the person types its words. @throws UsageError */
export async function approve(handle: string, { store, nowMs, out, ask }: ApprovalEdge): Promise<number> {
  const record = store.find(handle);
  if (record === null) throw new UsageError(`there is no handle ${JSON.stringify(handle)}; see trading-mcp pending`);
  if (record.sent !== null || record.declined || nowMs >= record.expiresMs) {
    throw new UsageError('the handle was sent, was declined or has expired; there is nothing to approve');
  }
  const seen = digestOf(record);
  out(`${requestText(record)}\n`);
  const typed = await ask(`Type "${record.plan.words}" to approve it: `);
  if (typed.trim() !== record.plan.words || digestOf(record) !== seen) {
    out('Not approved. Nothing was sent.');
    return 1;
  }
  store.approve(record);
  out('Approved. The agent can execute this handle now; nothing was sent yet.');
  return 0;
}
