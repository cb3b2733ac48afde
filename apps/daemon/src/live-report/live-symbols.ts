import { shownDigits } from '@libs/gateway-client';
import type { PricedSymbol } from './live-equity';
import type { LiveHistory } from './live-history';
import { barLengthMs, readLiveBars } from './live-bars';

/** Where a symbol is traded. */
type Listed = Pick<PricedSymbol, 'gateway' | 'symbol'>;

/** Digits of a symbol's prices at a gateway; undefined if they are not known. */
export type DigitsOf = (at: Listed) => number | undefined;

/** Reads the digits of the symbols of a subject. Those of a symbol that a gateway no longer has are those that its deals show. */
export async function readDigits(history: LiveHistory): Promise<DigitsOf> {
  const known = new Map<string, number>();
  for (const { session } of history.accounts) {
    const gateway = session.name;
    for (const symbol of symbolsAt(gateway, history)) {
      const fills = history.positions.filter((one) => one.gateway === gateway && one.symbol === symbol);
      const prices = fills.flatMap((one) => one.fills.map(({ price }) => price));
      const read = session.client.reads.symbolInfo(symbol).then(({ digits }) => digits);
      known.set(nameOf({ gateway, symbol }), await read.catch(() => shownDigits(prices)));
    }
  }
  return (at) => known.get(nameOf(at));
}

function nameOf({ gateway, symbol }: Listed): string {
  return `${gateway} ${symbol}`;
}

/** The symbols of the streams and of the positions at a gateway. */
function symbolsAt(gateway: string, { subject, positions }: LiveHistory): ReadonlySet<string> {
  const streams = subject.strategies.flatMap((spec) => spec.streams).filter(({ broker }) => broker === gateway);
  const held = positions.filter((position) => position.gateway === gateway);
  return new Set([...streams, ...held].map(({ symbol }) => symbol));
}

/** Reads the bars of all symbols of a subject: of its streams, and of its positions. @throws GatewayReadError, UnknownZoneError */
export async function readSymbols(history: LiveHistory, timeframe: string): Promise<readonly PricedSymbol[]> {
  const { accounts, span } = history;
  const found: PricedSymbol[] = [];
  for (const { session } of accounts) {
    const gateway = session.name;
    const { reads } = session.client;
    for (const symbol of symbolsAt(gateway, history)) {
      const { point, trade_tick_size: tickSize, trade_tick_value: tickValue } = await reads.symbolInfo(symbol);
      const bars = await readLiveBars(reads, { symbol, timeframe, point }, span);
      found.push({ gateway, symbol, bars, barMs: barLengthMs(timeframe), tickSize, tickValue });
    }
  }
  return found;
}
