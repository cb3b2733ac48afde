import { LastErrorCode, Retcode, retcodeName, type OrderCheckResult } from '@libs/terminal-client';

/** Sums of the account as they would be after an order; 0 where the terminal does not state them. */
type CheckedSums = Pick<OrderCheckResult, 'margin' | 'equity'>;

/**
 * The message for an order that the broker or the terminal rejected: nothing was done.
 * @param check of the order, if the check rejected it
 */
export function brokerRejection(
  retcode: number | null,
  lastError: { readonly code: number; readonly message: string } | null,
  check: CheckedSums | null = null,
): string {
  if (retcode === null && lastError?.code === LastErrorCode.AUTO_TRADING_DISABLED) {
    return 'the terminal rejects every order of a program: its option "Disable algorithmic trading via external Python API" is on';
  }
  const name = retcode === null ? (lastError?.message ?? 'refused') : retcodeName(retcode);
  const sums = retcode === Retcode.NO_MONEY ? sumsText(check) : '';
  return `the broker rejected the request: ${name}${sums}`;
}

function sumsText(check: CheckedSums | null): string {
  if (check === null || check.margin <= 0) return '';
  return `: with it the margin would be ${check.margin}, of an equity of ${check.equity}`;
}
