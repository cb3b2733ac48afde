import { UsageError } from '@libs/command-line';
import { newApprovalKey, shortestPassphrase, signedBy } from '../approval/approval-key';
import { approvalText, isExpired, requestText, wordsOf, type HandleRecord } from '../trading/handle-record';
import type { Moment } from '../trading/moment';
import type { HandleStore } from '../trading/handle.store';

/** What a command works with. */
export interface ApprovalEdge {
  /** The handles as they are on disk at this moment. */
  readonly openStore: () => HandleStore;
  readonly now: () => Moment;
  readonly out: (line: string) => void;
  /** One line of the person; empty at the end of the input. */
  readonly ask: (question: string, isHidden?: boolean) => Promise<string>;
  /** The file of the person's private key. */
  readonly key: () => string;
}

/** Lists the requests that wait for a decision. */
export function listPending({ openStore, now, out }: Pick<ApprovalEdge, 'openStore' | 'now' | 'out'>): number {
  const store = openStore();
  const open = store.open(now());
  if (open.length === 0) out('No request waits for an approval.');
  for (const record of open) out(listed(record, store.approvalOf(record) === null ? 'waits' : 'has an approval'));
  return 0;
}

/**
 * Shows the exact request, and signs it if the person types its words; without a handle, one request after the other.
 * @returns 0 if one was approved
 * @throws UsageError, ApprovalKeyError, HandleStoreError; then nothing was approved
 */
export async function approve(handle: string | undefined, edge: ApprovalEdge): Promise<number> {
  if (handle !== undefined) return (await approveOne(waiting(handle, edge), edge)) ? 0 : 1;
  const store = edge.openStore();
  const open = store.open(edge.now()).filter((record) => store.approvalOf(record) === null);
  if (open.length === 0) edge.out('No request waits for an approval.');
  let approved = 0;
  for (const record of open) if (await approveOne(record, edge)) approved += 1;
  return approved > 0 ? 0 : 1;
}

async function approveOne(record: HandleRecord, edge: ApprovalEdge): Promise<boolean> {
  const { out, ask } = edge;
  const { handle } = record;
  out(listed(record, 'waits'));
  const typed = await ask(`Type "${wordsOf(record)}" to approve it: `);
  if (typed.trim() !== wordsOf(record)) {
    out('Not approved. Nothing was sent.\n');
    return false;
  }
  const text = approvalText(record);
  const { signature, publicKey } = signedBy(edge.key(), await ask('Passphrase of your key: ', true), text);
  // It may have been sent, or another preview, while the person read.
  if (approvalText(waiting(handle, edge)) !== text)
    throw new UsageError('the request has changed; nothing is approved');
  edge.openStore().approve(record, signature);
  out(`Approved with the key ${publicKey}, which the policy of the server has to name.`);
  out('The agent can execute this handle now; nothing was sent yet.\n');
  return true;
}

/** @throws UsageError unless it waits for a decision */
function waiting(handle: string, { openStore, now }: ApprovalEdge): HandleRecord {
  const record = openStore().find(handle);
  if (record === null) throw new UsageError(`there is no handle ${JSON.stringify(handle)}; see trading-mcp pending`);
  if (record.sent !== null || record.declined || isExpired(record, now())) {
    throw new UsageError('the handle was sent, was declined or has expired; there is nothing to approve');
  }
  return record;
}

function listed(record: HandleRecord, state: string): string {
  const until = new Date(record.expiresMs).toISOString();
  return `${record.handle}  ${state}, valid until ${until}\n${requestText(record)}\n`;
}

/** Makes a key for approvals, and prints the line that the policy needs. @throws UsageError; then there is no new key */
export async function makeApprovalKey({
  write,
  out,
  ask,
}: Pick<ApprovalEdge, 'out' | 'ask'> & { readonly write: (pem: string) => void }): Promise<number> {
  const passphrase = await ask('Passphrase of the new key: ', true);
  if ([...passphrase].length < shortestPassphrase) {
    throw new UsageError(
      `the passphrase must have ${shortestPassphrase} characters or more: whoever has it can approve`,
    );
  }
  if ((await ask('The same again: ', true)) !== passphrase) throw new UsageError('the passphrases differ');
  const { pem, publicKey } = newApprovalKey(passphrase);
  write(pem);
  out(`For the policy file of the server:\napproval_keys: ["${publicKey}"]`);
  return 0;
}
