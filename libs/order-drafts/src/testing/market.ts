import { OrderType, type SymbolInfo, type Tick } from '@libs/terminal-client';
import type { Market, OrderLimits, ProposedOrder } from '../proposed-order';

export const limits: OrderLimits = {
  ...{ symbols: [], maxVolume: 100, maxPriceDeviationPct: 20, maxDeviationPoints: 1_000 },
};
const info = {
  ...{ name: 'EURUSD', digits: 5, point: 0.00001, trade_tick_size: 0.00001, trade_stops_level: 10 },
  ...{ volume_min: 0.01, volume_max: 50, volume_step: 0.01, trade_exemode: 2, filling_mode: 3, expiration_mode: 15 },
};
const tick = { bid: 1.1, ask: 1.1002, time_msc: 0 };

/** Only the fields that the checks read. */
export function market(changes: Partial<SymbolInfo> = {}): Market {
  return { info: { ...info, ...changes } as SymbolInfo, tick: tick as Tick, nowMs: Date.UTC(2026, 0, 5) };
}

export function order(changes: Partial<ProposedOrder> = {}): ProposedOrder {
  return {
    ...{ symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1, price: null, stoplimit: null, sl: null, tp: null },
    ...{ deviation: 20, filling: null, expirationMs: null },
    ...changes,
  };
}
