import { decimal, integer, list, type SettingsOf } from '@libs/settings';
import type { EntryLimits } from './entry';
import type { OrderLimits } from './proposed-order';

/** The operator's limits on orders, as settings of the gateway and of a backtest. */
export const orderLimitSettings = {
  SYMBOL_WHITELIST: list({
    meaning: 'Symbols that may be traded.',
    defaultText: 'unset (all)',
  }),
  MAX_ORDER_VOLUME: decimal({ meaning: 'Maximum lots in one order; 0 permits none.', default: 100, min: 0 }),
  MAX_PRICE_DEVIATION_PCT: decimal({
    meaning: 'Maximum deviation of a requested price from the market, in percent; 0 permits only that of the market.',
    default: 20,
    min: 0,
  }),
  MAX_ORDER_DEVIATION: integer({
    meaning: 'Maximum broker-side deviation in points; 0 permits none.',
    default: 1_000,
    min: 0,
  }),
  MAX_ORDERS_PER_MINUTE: integer({
    meaning: 'Entries sent in any 60 seconds. Exits do not count and always pass.',
    min: 1,
  }),
  MAX_OPEN_VOLUME: decimal({
    meaning:
      'Maximum open lots of all symbols: positions, pending orders, requests in flight, unknown outcomes; 0 permits no entry.',
    min: 0,
  }),
  MAX_OPEN_VOLUME_PER_SYMBOL: decimal({ meaning: 'The same limit for each symbol.', min: 0 }),
  MAX_DAILY_LOSS: decimal({
    meaning: "Loss of the broker's day, closed and floating, in the account currency, at which entries are denied.",
    min: 0.01,
  }),
};

/** The operator's limits, which both programs apply. */
export interface OperatorLimits {
  /** For each order. */
  readonly orders: OrderLimits;
  /** For all entries together; null if none is set. */
  readonly entries: EntryLimits | null;
}

/** The limits from the settings. */
export function operatorLimits(settings: SettingsOf<typeof orderLimitSettings>): OperatorLimits {
  const orders = {
    symbols: settings.SYMBOL_WHITELIST,
    maxVolume: settings.MAX_ORDER_VOLUME,
    maxPriceDeviationPct: settings.MAX_PRICE_DEVIATION_PCT,
    maxDeviationPoints: settings.MAX_ORDER_DEVIATION,
  };
  const entries = {
    maxOrdersPerMinute: settings.MAX_ORDERS_PER_MINUTE ?? null,
    maxOpenVolume: settings.MAX_OPEN_VOLUME ?? null,
    maxOpenVolumePerSymbol: settings.MAX_OPEN_VOLUME_PER_SYMBOL ?? null,
    maxDailyLoss: settings.MAX_DAILY_LOSS ?? null,
  };
  return { orders, entries: Object.values(entries).some((limit) => limit !== null) ? entries : null };
}

/** Whether an entry limit bounds the open lots. */
export function boundsVolume({ maxOpenVolume, maxOpenVolumePerSymbol }: EntryLimits): boolean {
  return maxOpenVolume !== null || maxOpenVolumePerSymbol !== null;
}
