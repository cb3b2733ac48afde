import type { GatewayClient } from '@libs/gateway-client';
import { balanceLine, type BalancePoint } from './balance-line';

/** The balance over the last seven days. */
export interface MoneyView {
  readonly line: readonly BalancePoint[];
  /** Deposit currency. */
  readonly balance: number;
  readonly digits: number;
  readonly deals: number;
  /** UTC milliseconds by the clock of this machine. */
  readonly readAtMs: number;
}

const attempts = 3;
const spanMs = 7 * 86_400_000;

/**
 * Reads the balance before and after the deals: if they differ, a deal came in between, and the line would be wrong.
 * @throws GatewayReadError if a part of it cannot be read
 */
export async function readMoney({ reads }: GatewayClient): Promise<MoneyView> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await reads.account();
    const deals = await reads.historyDealsGet({ from_date: new Date(Date.now() - spanMs) });
    const { balance, currency_digits: digits } = await reads.account();
    if (balance !== before.balance) continue;
    return { line: balanceLine(balance, deals, digits), balance, digits, deals: deals.length, readAtMs: Date.now() };
  }
  throw new Error('the balance changed during each read');
}
