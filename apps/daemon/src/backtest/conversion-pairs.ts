import type { SymbolSpec } from '@libs/simulator';

type Pair = Pick<SymbolSpec, 'name' | 'currency_base' | 'currency_profit' | 'currency_margin'>;

/** Currencies in the order in which pairs name them: EURGBP, and not GBPEUR. */
const order = ['EUR', 'GBP', 'AUD', 'NZD', 'USD', 'CAD', 'CHF'];

/**
 * The pairs that a backtest lacks to convert profit and margin of the traded symbols, a sentence for each symbol.
 * @param tradedNames symbols of the streams
 * @param pricedNames symbols that have prices
 * @param known every symbol with a specification
 */
export function missingPairs(
  tradedNames: readonly string[],
  pricedNames: readonly string[],
  known: readonly Pair[],
  deposit: string,
): readonly string[] {
  const priced = known.filter(({ name }) => pricedNames.includes(name));
  const traded = known.filter(({ name }) => tradedNames.includes(name));
  return traded.flatMap(({ name, currency_profit: profit, currency_margin: margin }) => {
    const uses = new Map<string, string[]>();
    for (const [use, currency] of [['profit', profit] as const, ['margin', margin] as const]) {
      for (const pair of missingFor(currency, deposit, priced, known)) uses.set(pair, [...(uses.get(pair) ?? []), use]);
    }
    if (uses.size === 0) return [];
    const pairs = [...uses].map(([pair, of]) => `${pair} (${of.join(' and ')})`);
    return [
      `${name} on an account in ${deposit} needs prices of ${pairs.join(' and ')}; add them to --data of the backtest`,
    ];
  });
}

/** What a currency needs to become the deposit currency: one pair, or two by way of the dollar. */
function missingFor(
  currency: string,
  deposit: string,
  priced: readonly Pair[],
  known: readonly Pair[],
): readonly string[] {
  const lacks = (from: string, to: string): readonly string[] =>
    from === to || pairOf(from, to, priced) !== null ? [] : [pairOf(from, to, known) ?? usualName(from, to)];
  const direct = lacks(currency, deposit);
  if (direct.length === 0) return [];
  if (currency === 'USD' || deposit === 'USD') return direct;
  const byDollar = [...lacks(currency, 'USD'), ...lacks('USD', deposit)];
  return byDollar.length < 2 ? byDollar : direct;
}

function pairOf(one: string, other: string, pairs: readonly Pair[]): string | null {
  const found = pairs.find(({ currency_base: base, currency_profit: profit }) => {
    return (base === one && profit === other) || (base === other && profit === one);
  });
  return found?.name ?? null;
}

function usualName(one: string, other: string): string {
  const rank = (currency: string): number => (order.includes(currency) ? order.indexOf(currency) : order.length);
  return rank(one) <= rank(other) ? `${one}${other}` : `${other}${one}`;
}
