import { type Retcode } from '@libs/terminal-client';

/** Why the server does nothing with a request. */
export interface Refusal {
  readonly retcode: Retcode;
  readonly comment: string;
}

/** The server's usual words for a retcode. */
const comments: Readonly<Record<Retcode, string>> = {
  10004: 'Requote',
  10006: 'Rejected',
  10007: 'Canceled',
  10008: 'Order placed',
  10009: 'Request executed',
  10010: 'Request executed partially',
  10011: 'Processing error',
  10012: 'Request canceled by timeout',
  10013: 'Invalid request',
  10014: 'Invalid volume',
  10015: 'Invalid price',
  10016: 'Invalid stops',
  10017: 'Trade disabled',
  10018: 'Market closed',
  10019: 'No money',
  10020: 'Prices changed',
  10021: 'No prices',
  10022: 'Invalid expiration',
  10023: 'Order changed',
  10024: 'Too many requests',
  10025: 'No changes',
  10026: 'AutoTrading disabled by server',
  10027: 'AutoTrading disabled by client',
  10028: 'Request locked',
  10029: 'Order or position frozen',
  10030: 'Unsupported filling mode',
  10031: 'No connection',
  10032: 'Only real accounts are allowed',
  10033: 'Limit of pending orders reached',
  10034: 'Volume limit reached',
  10035: 'Invalid order',
  10036: 'Position already closed',
  10038: 'Invalid close volume',
  10039: 'Close order already exists',
  10040: 'Limit of open positions reached',
  10041: 'Pending order activation rejected',
  10042: 'Only long positions are allowed',
  10043: 'Only short positions are allowed',
  10044: 'Only position closing is allowed',
  10045: 'Position can be closed by FIFO rule only',
  10046: 'Opposite positions are prohibited',
};

/** The words for a retcode, `Retcode <n>` for one that is not in the catalogue. */
export function retcodeComment(retcode: number): string {
  return (comments as Readonly<Record<number, string>>)[retcode] ?? `Retcode ${retcode}`;
}

export function refusal(retcode: Retcode, comment: string = retcodeComment(retcode)): Refusal {
  return { retcode, comment };
}

/** The first refusal of several checks, each made only if those before it found nothing. */
export function firstRefusal(...checks: readonly (() => Refusal | null)[]): Refusal | null {
  for (const check of checks) {
    const refused = check();
    if (refused) return refused;
  }
  return null;
}
