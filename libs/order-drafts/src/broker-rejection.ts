import { LastErrorCode, retcodeName } from '@libs/terminal-client';

/** The message for an order that the broker or the terminal rejected: nothing was done. */
export function brokerRejection(
  retcode: number | null,
  lastError: { readonly code: number; readonly message: string } | null,
): string {
  if (retcode === null && lastError?.code === LastErrorCode.AUTO_TRADING_DISABLED) {
    return 'the terminal rejects every order of a program: its option "Disable algorithmic trading via external Python API" is on';
  }
  const name = retcode === null ? (lastError?.message ?? 'refused') : retcodeName(retcode);
  return `the broker rejected the request: ${name}`;
}
