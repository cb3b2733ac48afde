import { profitFormula, isReopening, type Listing } from '@libs/simulator';
import type { OperatorLimits } from '@libs/order-drafts';
import { FillingFlag, OrderModeFlag, SymbolExecution, SymbolGtcMode, SymbolTradeMode } from '@libs/terminal-client';
import type { StrategySpec } from '../../core/strategy-spec';
import type { Loaded } from '../../strategies/worker/messages';
import { broker } from '../backtest-core';

/** What decides whether the kernel knows all that a run needs. */
export interface KernelCase {
  readonly spec: StrategySpec;
  readonly loaded: Loaded;
  readonly limits: OperatorLimits;
  readonly latencyMs: number;
  readonly listing: Listing;
}

type Rule = (run: KernelCase) => boolean;

/** What the kernel does not know, with the words for it; in the order in which they are asked. */
const unknowns: readonly (readonly [reason: string, isUnknown: Rule])[] = [
  ['it has a handler of ticks', ({ loaded }) => loaded.wantsTicks],
  ['its streams are not those of a backtest', ({ spec }) => spec.streams.some((stream) => stream.broker !== broker)],
  ['orders have a latency', ({ latencyMs }) => latencyMs !== 0],
  ['it has a limit for losses', ({ spec: { risk } }) => risk.maxDailyLoss !== null || risk.maxDrawdownPct !== null],
  ['the operator limits entries', ({ limits }) => limits.entries !== null],
  [
    'the operator does not permit the symbol',
    ({ limits: { orders }, listing: { spec } }) => orders.symbols.length > 0 && !orders.symbols.includes(spec.name),
  ],
  [
    'the account has rules for positions',
    ({ listing: { account } }) =>
      account.marginMode !== 'hedging' || account.fifoClose || account.hedgeProhibited || account.limitPositions > 0,
  ],
  [
    'the capital has more digits than the currency',
    ({ spec: { capital }, listing: { account } }) => Number(capital.toFixed(account.currencyDigits)) !== capital,
  ],
  ['the symbol is not traded like a currency pair', ({ listing }) => !isTradedFully(listing)],
  ['the profit is converted by another symbol', ({ listing }) => !isConvertedByItself(listing)],
];

/** Why the kernel cannot run a case; null if it knows all that the case needs. */
export function unknownTerm(run: KernelCase): string | null {
  return unknowns.find(([, isUnknown]) => isUnknown(run))?.[0] ?? null;
}

/** Any volume at once at the quote, in both directions, with levels that last, and a margin of each position on its own. */
function isTradedFully({ spec, account }: Listing): boolean {
  const orders = OrderModeFlag.MARKET | OrderModeFlag.SL | OrderModeFlag.TP;
  return (
    profitFormula(spec.trade_calc_mode) === 'contract' &&
    spec.trade_mode === SymbolTradeMode.FULL &&
    spec.trade_exemode === SymbolExecution.MARKET &&
    (spec.order_mode & orders) === orders &&
    (spec.filling_mode & (FillingFlag.FOK | FillingFlag.IOC)) !== 0 &&
    spec.order_gtc_mode === SymbolGtcMode.GTC &&
    spec.market.depth === null &&
    spec.volume_limit === 0 &&
    spec.trade_freeze_level === 0 &&
    spec.margin_initial === 0 &&
    spec.margin_maintenance === 0 &&
    spec.margin_hedged <= spec.trade_contract_size &&
    !isReopening(spec) &&
    account.leverage > 0
  );
}

/** Profit and margin are in the deposit currency, or converted by the price of the symbol. */
function isConvertedByItself({ spec, account: { currency } }: Listing): boolean {
  const own = [spec.currency_base, spec.currency_profit];
  const isOwn = (one: string): boolean => one === currency || (own.includes(one) && own.includes(currency));
  return isOwn(spec.currency_profit) && isOwn(spec.currency_margin);
}
