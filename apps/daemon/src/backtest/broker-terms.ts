import type { LimitFill, simulatorSettings, SymbolSpec } from '@libs/simulator';
import { SymbolSwapMode } from '@libs/trade-constants';
import { countText } from '@libs/gateway-client/figure-text';

/** Assumptions of a run about the broker, beyond its prices. Money is in the account's currency. */
export interface Assumptions {
  /** Points between bid and ask; null where the asks are the recorded ones. */
  readonly spreadPoints: number | null;
  /** Points by which market orders, stops and stop outs fill worse than the quote. */
  readonly slippagePoints: number;
  /** Market time from the decision of the strategy to the broker. */
  readonly latencyMs: number;
  readonly symbols: Readonly<Record<string, SymbolTerms>>;
}

export interface SymbolTerms {
  /** Of its prices; absent in reports of earlier versions. */
  readonly digits?: number;
  readonly commissionPerLot: number;
  /** `both`: on the deals in and out; `in`: on the entry alone. */
  readonly commissionCharged: 'both' | 'in';
  /** Swap of a position per night, negative if it is charged; null if there is none. */
  readonly swap: { readonly unit: string; readonly long: number; readonly short: number } | null;
}

/** Flags of `daemon backtest` that set terms of the simulated broker, with their settings. */
export const brokerFlags = {
  commission: 'SIM_COMMISSION',
  slippage: 'SIM_SLIPPAGE',
  spread: 'SIM_SPREAD',
  swap: 'SIM_SWAP',
  symbols: 'SIM_SYMBOLS',
} as const satisfies Readonly<Record<string, keyof typeof simulatorSettings>>;

export type BrokerFlag = keyof typeof brokerFlags;

const swapUnits: ReadonlyMap<number, string> = new Map([
  [SymbolSwapMode.POINTS, 'points'],
  [SymbolSwapMode.CURRENCY_SYMBOL, 'base currency per lot'],
  [SymbolSwapMode.CURRENCY_MARGIN, 'margin currency per lot'],
  [SymbolSwapMode.CURRENCY_DEPOSIT, 'deposit currency per lot'],
  [SymbolSwapMode.INTEREST_CURRENT, '% per year of the current price'],
  [SymbolSwapMode.INTEREST_OPEN, '% per year of the opening price'],
]);

/** The terms of a symbol. */
export function termsOf({ digits, market, swap_mode, swap_long, swap_short }: SymbolSpec): SymbolTerms {
  const { perLot, charged } = market.commission;
  const unit = swapUnits.get(swap_mode) ?? `swap mode ${swap_mode}`;
  const isFree = swap_mode === SymbolSwapMode.DISABLED || (swap_long === 0 && swap_short === 0);
  return {
    digits,
    commissionPerLot: perLot,
    commissionCharged: charged,
    swap: isFree ? null : { unit, long: swap_long, short: swap_short },
  };
}

/** The assumptions in one line. */
export function assumptionsText({ spreadPoints, slippagePoints, latencyMs, symbols }: Assumptions): string {
  const spread = spreadPoints === null ? 'spread as recorded' : `spread ${countText(spreadPoints, 'point')}`;
  const terms = Object.entries(symbols).map(([symbol, { commissionPerLot, commissionCharged, swap }]) => {
    const when = commissionCharged === 'both' ? 'in and out' : 'on entry';
    const rates = swap === null ? 'no swap' : `swap ${swap.long} long and ${swap.short} short, ${swap.unit}`;
    return `${symbol}: commission ${commissionPerLot} per lot ${when}, ${rates}`;
  });
  return [spread, `slippage ${countText(slippagePoints, 'point')}`, `latency ${latencyMs} ms`, ...terms].join('; ');
}

/** How orders filled between the recorded prices. */
export interface FillRule {
  /** Inside a bar the price takes every value of its path. */
  readonly insideBars: "at the order's price";
  readonly betweenBars: 'at the first quote';
  /** What a limit order or a target needs inside a bar: a price one point beyond its own, or its own. */
  readonly limits: LimitFill;
}

/** The fill rule of a run; null if all prices were ticks, because nothing fills between two ticks. */
export function fillRuleOf(limitFill: LimitFill | null): FillRule | null {
  return limitFill && { insideBars: "at the order's price", betweenBars: 'at the first quote', limits: limitFill };
}

/** The rule in a sentence; null where there is none. */
export function fillRuleText(rule: FillRule | null): string | null {
  if (rule === null) return null;
  const needed = rule.limits === 'through' ? 'a price one point beyond it' : 'its price to be touched';
  return `inside bars: ${rule.insideBars}, after a gap ${rule.betweenBars}; a limit or a take-profit needs ${needed}`;
}
