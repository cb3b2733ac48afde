import type { PricedSymbol } from './live-equity';
import type { LiveHistory } from './live-history';
import { barLengthMs, readLiveBars } from './live-bars';

/** Reads the bars of all symbols of a subject: of its streams, and of its positions. @throws GatewayReadError, UnknownZoneError */
export async function readSymbols(history: LiveHistory, timeframe: string): Promise<readonly PricedSymbol[]> {
  const { subject, positions, accounts, span } = history;
  const streams = subject.strategies.flatMap((spec) => spec.streams);
  const found: PricedSymbol[] = [];
  for (const { session } of accounts) {
    const gateway = session.name;
    const { reads } = session.client;
    const names = new Set([
      ...streams.filter(({ broker }) => broker === gateway).map(({ symbol }) => symbol),
      ...positions.filter((position) => position.gateway === gateway).map(({ symbol }) => symbol),
    ]);
    for (const symbol of names) {
      const { point, trade_tick_size: tickSize, trade_tick_value: tickValue } = await reads.symbolInfo(symbol);
      const bars = await readLiveBars(reads, { symbol, timeframe, point }, span);
      found.push({ gateway, symbol, bars, barMs: barLengthMs(timeframe), tickSize, tickValue });
    }
  }
  return found;
}
