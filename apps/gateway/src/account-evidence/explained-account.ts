import {
  areSumsOdd,
  contradictingSums,
  lackingMargin,
  unexplainedMoney,
  withoutPositions,
  wrongProfitOf,
  type ExplainedAccount,
  type Unexplained,
} from '@libs/account-evidence';
import { Decimal } from 'decimal.js';
import { latestDateS, type AccountInfo, type TerminalClient, type TradePosition } from '@libs/terminal-client';
import type { AccountEvidence } from './account-evidence';
import { marginWithout } from './margin-without';
import { notSynchronized } from './not-synchronized.error';

/** Reads in a row before a contradiction counts, because trades happen between the read of the account and that of its deals. */
const mostReads = 3;
/** A floating profit that moved by less than this part of the balance since the last look is left to the looks. */
const nearPart = 0.005;

/**
 * The record of the account, if its money is explained: its lists are loaded, its balance is the known one plus deals, and its other
 * sums agree with each other and with the open positions. Deals and lists are read only if the record is not what the known account
 * leads one to expect.
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
      ...(await sumsInQuestion(known, account, terminal)),
    ].filter((one) => !evidence.isAccepted(one));
    // A balance that its deals explain is that of after an acknowledged order; one that has not moved may be that of before it.
    const unshown = isUnmoved(known, account) ? evidence.unshown : [];
    if (unexplained.length + unshown.length === 0) return account;
    if (reads === mostReads) throw notSynchronized([...unexplained, ...unshown]);
    if (unshown.length > 0) await evidence.lookAgain();
  }
}

/** Whether the balance is the known one. */
function isUnmoved(known: ExplainedAccount, account: AccountInfo): boolean {
  return unexplainedMoney(known, { account, deals: [] }).length === 0;
}

async function balanceInQuestion(
  known: ExplainedAccount,
  account: AccountInfo,
  terminal: TerminalClient,
): Promise<Unexplained[]> {
  if (isUnmoved(known, account)) return [];
  const deals = await terminal.historyDealsGet({ from: known.deals.lookBackTo, to: latestDateS });
  return unexplainedMoney(known, { account, deals });
}

/** The other sums: what they say of each other, and of the open positions. Lists are read only for sums that are odd. */
async function sumsInQuestion(
  known: ExplainedAccount,
  account: AccountInfo,
  terminal: TerminalClient,
): Promise<Unexplained[]> {
  const before = [...known.positions.entriesOf(null)].map(([, { record }]) => record);
  if (!areSumsOdd(account, before.length > 0) && !isFarFrom(account, before)) return [];
  const orders = await terminal.ordersGet();
  const positions = await terminal.positionsGet();
  return [
    ...contradictingSums(account, positions),
    ...wrongProfitOf(account, positions, before),
    ...lackingMargin(account, await marginWithout(account, positions, terminal)),
    ...withoutPositions({ account, positions, orders, scope: null }),
  ];
}

/** Whether the floating profit is not nearly that of the positions as they were last known. */
function isFarFrom({ balance, profit }: AccountInfo, before: readonly TradePosition[]): boolean {
  const known = Decimal.sum(0, ...before.map((position) => position.profit));
  return known.minus(profit).abs().gt(new Decimal(balance).abs().times(nearPart));
}
