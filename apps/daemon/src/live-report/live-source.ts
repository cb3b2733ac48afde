import { countText } from '@libs/gateway-client/figure-text';
import { tradeModes } from '../daemon-file/daemon-file';
import { shown } from '../backtest/period';
import type { PricedSymbol } from './live-equity';
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
  const { accounts, stored, lostGateways, lacking } = history;
  const byMagic = trades.filter(({ knownBy }) => knownBy === 'magic').length;
  const known =
    byMagic === 0
      ? ''
      : `; ${byMagic} of ${countText(trades.length, 'trade')} ${byMagic === 1 ? 'is known only by its' : 'are known only by their'} magic`;
  return [
    ...accounts.map(accountText),
    `records   ${sources[stored.from]}${known}`,
    ...lostGateways.map((name) => `missing   what was traded through ${name}, which is no longer configured`),
    ...lacking.map(
      ({ broker, ticket }) => `missing   position ${ticket} on ${broker}: it is not shown, and no deal has closed it`,
    ),
  ];
}

/** What a report of a live strategy cannot know, a sentence each. */
export function unknownTo(
  { accounts, stored, lostGateways, lacking, span }: LiveHistory,
  trades: readonly LiveTrade[],
  timeframe: string,
  symbols: readonly PricedSymbol[],
): readonly string[] {
  const byMagic = trades.filter(({ knownBy }) => knownBy === 'magic').length;
  const without = symbols.filter(({ bars }) => bars.length === 0).map(({ gateway, symbol }) => `${gateway}:${symbol}`);
  const opened = trades.filter(({ openedMs }) => openedMs < span.fromMs).length;
  return [
    `Between deals the equity is reconstructed from the closes of ${timeframe} bars, without swap that is not booked yet; what happened inside a bar is not in it.`,
    'The equity begins with the configured capital: results before the period are not in it.',
    'The cost of spread and slippage is part of the prices and is not known separately. Amounts that the broker books outside of deals are not attributed to a strategy.',
    'Rejects are the refused requests of the daemon’s records; denied intents, late bars and halts are in the log.',
    ...(opened > 0
      ? [
          `${opened} of ${countText(trades.length, 'trade')} ${opened === 1 ? 'was' : 'were'} opened before the period; the whole result is in it.`,
        ]
      : []),
    ...(byMagic > 0
      ? [
          `${byMagic} of ${countText(trades.length, 'trade')} ${byMagic === 1 ? 'is known only by its' : 'are known only by their'} magic.`,
        ]
      : []),
    ...(stored.from === 'none' ? ['The state directory has no state: rejects and halts are not known.'] : []),
    ...(without.length > 0
      ? [`The gateway has no bars of ${without.join(', ')}: their floating result is not known.`]
      : []),
    ...(span.isUntilNow ? [] : ['The floating result at the end is reconstructed from bars as well.']),
    ...(accounts.length > 1 ? ['The accounts are read one after another, not at one instant.'] : []),
    ...lostGateways.map((name) => `What was traded through ${name} is missing: it is no longer configured.`),
    ...lacking.map(
      ({ broker, ticket }) =>
        `Position ${ticket} is not shown on ${broker}, and no deal has closed it: its result now is not known.`,
    ),
  ];
}
