import { lackingProfit, unexplainedMoney, type ExplainedAccount, type Unexplained } from '@libs/account-evidence';
import { latestDateS, type AccountInfo, type TerminalClient } from '@libs/terminal-client';
import type { AccountEvidence } from './account-evidence';
import { notSynchronized } from './not-synchronized.error';

/** Reads in a row before a contradiction counts, because trades happen between the read of the account and that of its deals. */
const mostReads = 3;

/**
 * The record of the account, if its money is explained: its lists are loaded, and its balance is the known one plus deals. Deals
 * and positions are read only if the record is not what the known account leads one to expect.
 * @param read reads the record of the session's account
 * @param terminal a terminal whose lists are explained
 * @throws NotSynchronizedError if something of the record is not explained
 */
export async function explainedAccount(
  read: () => Promise<AccountInfo>,
  terminal: TerminalClient,
  evidence: AccountEvidence,
): Promise<AccountInfo> {
  for (let reads = 1; ; reads++) {
    const account = await read();
    await evidence.read();
    const known = evidence.requireList('positions');
    const unexplained = [
      ...(await balanceInQuestion(known, account, terminal)),
      ...(await profitInQuestion(known, account, terminal)),
    ];
    if (unexplained.length === 0) return account;
    if (reads === mostReads) throw notSynchronized(unexplained);
  }
}

async function balanceInQuestion(
  known: ExplainedAccount,
  account: AccountInfo,
  terminal: TerminalClient,
): Promise<Unexplained[]> {
  if (unexplainedMoney(known, { account, deals: [] }).length === 0) return [];
  const deals = await terminal.historyDealsGet({ from: known.deals.lookBackTo, to: latestDateS });
  return unexplainedMoney(known, { account, deals });
}

/** An account whose lists are not loaded shows neither margin nor profit. */
async function profitInQuestion(
  known: ExplainedAccount,
  account: AccountInfo,
  terminal: TerminalClient,
): Promise<Unexplained[]> {
  if (account.margin !== 0 || account.profit !== 0) return [];
  const [open] = known.positions.entriesOf(null);
  return open === undefined ? [] : lackingProfit(account, await terminal.positionsGet());
}
