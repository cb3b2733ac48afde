import type { AccountRecord } from '@libs/gateway-client';
import { AccountMarginMode } from '@libs/trade-constants';
import type { StrategySpec } from '../core/strategy-spec';

type Facts = Pick<AccountRecord, 'margin_mode' | 'currency'>;

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
  if (account === null || account.margin_mode === AccountMarginMode.RETAIL_HEDGING) return null;
  return `a stack needs a hedging account: on ${broker}, all layers would share one position and one stop loss`;
}

function mixedCurrencies({ streams }: StrategySpec, accountOf: (broker: string) => Facts | null): string | null {
  const currencies = new Map<string, string>();
  for (const { broker } of streams) {
    const account = accountOf(broker);
    if (account !== null) currencies.set(account.currency, broker);
  }
  if (currencies.size < 2) return null;
  const which = [...currencies].map(([currency, broker]) => `${currency} on ${broker}`).join(' and ');
  return `all streams of a strategy must trade accounts in the same currency; found ${which}`;
}

/** On a netting account everything on a symbol is one position, and one position has one owner. */
function sharedPosition(
  spec: StrategySpec,
  all: readonly StrategySpec[],
  accountOf: (broker: string) => Facts | null,
): string | null {
  for (const { broker, symbol } of spec.streams) {
    const account = accountOf(broker);
    if (account === null || account.margin_mode === AccountMarginMode.RETAIL_HEDGING) continue;
    const other = all.find(
      ({ name, streams }) =>
        name !== spec.name && streams.some((stream) => stream.broker === broker && stream.symbol === symbol),
    );
    if (other) return `${broker} is a netting account: ${symbol} would share one position with ${other.name}`;
  }
  return null;
}
