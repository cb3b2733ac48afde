import { UsageError } from '@libs/command-line';
import { newApprovalKey, shortestPassphrase } from '../approval/approval-key';
import type { ApprovalEdge } from './approve.command';

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
