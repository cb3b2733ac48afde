import type { DealRecord, FullBarRecord, GatewayClient } from '@libs/gateway-client';

/** Bars of a symbol, oldest first, and the account's deals in it during that time. */
export interface MarketView {
  readonly bars: readonly FullBarRecord[];
  readonly deals: readonly DealRecord[];
}

export const timeframes = ['M1', 'M5', 'M15', 'H1', 'H4', 'D1'] as const;

/** Bars that are read: what is shown of them can be moved and zoomed. */
const readBars = 400;
const [buy, sell] = [0, 1];

/** @throws GatewayReadError if the bars or the deals cannot be read */
export async function readMarket({ reads }: GatewayClient, symbol: string, timeframe: string): Promise<MarketView> {
  const bars = await reads.fetchDataPos(symbol, timeframe, readBars);
  const [first] = bars;
  if (first === undefined) return { bars, deals: [] };
  const deals = await reads.historyDealsGet({ from_date: first.time });
  return { bars, deals: deals.filter((deal) => deal.symbol === symbol && [buy, sell].includes(deal.type)) };
}
