import type { GatewayReads } from '@libs/gateway-client';
import type { ComparedTrade } from './compared-trade';
import type { PairFacts } from './pair-parts';

/** A quote is looked for that long before a fill. */
const lookBackMs = 60_000;
/** Ticks are read for that many trades at most: each takes two requests. */
const mostTrades = 500;

type FillQuotes = Pick<PairFacts, 'entryQuote' | 'exitQuote'>;

const unknownQuotes: FillQuotes = { entryQuote: null, exitQuote: null };

/**
 * The prices at which the broker would have filled the entries and exits of live trades at the moments of their fills: its last
 * tick before each.
 * @returns by trade; trades beyond the first 500 have none
 * @throws GatewayReadError
 */
export async function readFillQuotes(
  reads: GatewayReads,
  trades: readonly ComparedTrade[],
): Promise<(trade: ComparedTrade) => FillQuotes> {
  const quotes = new Map<ComparedTrade, FillQuotes>();
  for (const trade of trades.slice(0, mostTrades)) {
    const { symbol, side, openedMs, closedMs } = trade;
    const entryQuote = await quoteAt(reads, symbol, openedMs, side === 'buy' ? 'ask' : 'bid');
    const exitQuote = closedMs === null ? null : await quoteAt(reads, symbol, closedMs, side === 'buy' ? 'bid' : 'ask');
    quotes.set(trade, { entryQuote, exitQuote });
  }
  return (trade) => quotes.get(trade) ?? unknownQuotes;
}

/** Null without a tick in the minute before. */
async function quoteAt(
  reads: GatewayReads,
  symbol: string,
  timeMs: number,
  price: 'bid' | 'ask',
): Promise<number | null> {
  const ticks = await reads.copyTicksRange(symbol, new Date(timeMs - lookBackMs), new Date(timeMs), 'info');
  const sound = ticks.filter(
    ({ bid, ask, time_utc: time }) => bid > 0 && ask > 0 && time !== null && Date.parse(time) <= timeMs,
  );
  return sound.at(-1)?.[price] ?? null;
}
