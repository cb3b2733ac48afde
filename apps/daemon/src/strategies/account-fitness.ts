import type { AccountRecord } from '@libs/gateway-client';
import type { StrategySpec } from '../daemon-file/daemon-file';

type Facts = Pick<AccountRecord, 'margin_mode' | 'currency'>;

/** `margin_mode` of an account with any number of positions a symbol; others keep one (docs: ENUM_ACCOUNT_MARGIN_MODE). */
const hedging = 2;

/**
 * Why a strategy must not be deployed on the accounts its streams lead to; null when it may. Each of its gateways'
 * accounts has been read by then.
 * @param accountOf null for a gateway whose account is not known yet
 */
export function accountUnfitness(
  spec: StrategySpec,
  all: readonly StrategySpec[],
  accountOf: (broker: string) => Facts | null,
): string | null {
  return mixedCurrencies(spec, accountOf) ?? sharedPosition(spec, all, accountOf);
}

/** Why there can be no stack on an account; null when there can. */
export function stackUnfitness(broker: string, account: Facts | null): string | null {
  if (account === null || account.margin_mode === hedging) return null;
  return `a stack needs a hedging account: on ${broker} its layers would be one position with one stop`;
}

function mixedCurrencies({ streams }: StrategySpec, accountOf: (broker: string) => Facts | null): string | null {
  const currencies = new Map<string, string>();
  for (const { broker } of streams) {
    const account = accountOf(broker);
    if (account !== null) currencies.set(account.currency, broker);
  }
  if (currencies.size < 2) return null;
  const which = [...currencies].map(([currency, broker]) => `${currency} on ${broker}`).join(' and ');
  return `its streams trade accounts in different currencies, ${which}: its money would be added up across them`;
}

/** On a netting account everything on a symbol is one position, and one position has one owner. */
function sharedPosition(
  spec: StrategySpec,
  all: readonly StrategySpec[],
  accountOf: (broker: string) => Facts | null,
): string | null {
  for (const { broker, symbol } of spec.streams) {
    const account = accountOf(broker);
    if (account === null || account.margin_mode === hedging) continue;
    const other = all.find(
      ({ name, streams }) =>
        name !== spec.name && streams.some((stream) => stream.broker === broker && stream.symbol === symbol),
    );
    if (other) return `${broker} is a netting account: ${symbol} would be one position shared with ${other.name}`;
  }
  return null;
}
