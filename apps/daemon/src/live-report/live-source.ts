import { tradeModes } from '../daemon-file/daemon-file';
import { shown } from '../backtest/period';
import type { LiveHistory, ReadAccount, RecordsFrom } from './live-history';
import type { LiveTrade, Span } from './live-trade';

/** The account in a sentence: where the money is, and whether it is real. */
function accountText({ session, account }: ReadAccount): string {
  const { login, server, currency, trade_mode } = account;
  return `account   ${login} on ${server}, ${tradeModeOf(trade_mode)}, in ${currency}, by gateway ${session.name}`;
}

/** A period as people read it. */
export function spanText({ fromMs, toMs }: Span): string {
  return `${shown(fromMs)} to ${shown(toMs)} UTC`;
}

export function tradeModeOf(mode: number): string {
  return tradeModes[mode] ?? `mode ${mode}`;
}

const sources: Readonly<Record<RecordsFrom, string>> = {
  daemon: 'those of the running daemon',
  'state directory': 'the state directory; no daemon runs on it',
  none: 'none: the state directory has no state',
};

/** What a list of trades is made from, in lines. */
export function sourceLines(history: LiveHistory, trades: readonly LiveTrade[]): readonly string[] {
  const { accounts, stored, lostGateways } = history;
  const byMagic = trades.filter(({ knownBy }) => knownBy === 'magic').length;
  const known = byMagic === 0 ? '' : `; ${byMagic} of ${trades.length} trades are known by the magic alone`;
  return [
    ...accounts.map(accountText),
    `records   ${sources[stored.from]}${known}`,
    ...lostGateways.map((name) => `missing   what was traded through ${name}, which is not configured any more`),
  ];
}
