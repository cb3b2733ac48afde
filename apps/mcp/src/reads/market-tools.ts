import { barRowFields, bookFields, listedSymbolFields, requiredSymbolFields, tickRowFields } from '@libs/records';
import { z } from 'zod';
import { pageFrom } from './page';
import { readTool } from './read-tool';
import { instantInput, pageInput, pageOf, rowOf, symbolInput } from './schemas';

const timeframeInput = z.enum([
  ...(['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M10', 'M12', 'M15', 'M20', 'M30'] as const),
  ...(['H1', 'H2', 'H3', 'H4', 'H6', 'H8', 'H12', 'D1', 'W1', 'MN1'] as const),
]);
const countInput = z.int().min(1).max(1_000).default(50);

/** Reads of symbols and prices. */
export const marketTools = [
  readTool(
    'list_symbols',
    'The symbols of the broker, by name.',
    { search: z.string().max(200).optional().describe('A group mask such as *EUR*,!*CHF*.'), ...pageInput },
    pageOf(rowOf(listedSymbolFields)),
    async ({ reads }, { search, limit, cursor }) => pageFrom(await reads.symbols(search), limit, cursor),
  ),
  readTool(
    'get_symbol',
    "A symbol's full record: volumes, contract, stops, trading mode and swaps.",
    { symbol: symbolInput },
    rowOf(requiredSymbolFields),
    ({ reads }, { symbol }) => reads.symbolInfo(symbol),
  ),
  readTool(
    'get_quote',
    "A symbol's last quote. `age_seconds` is its age; do not take an old one for the market.",
    { symbol: symbolInput },
    rowOf(tickRowFields),
    ({ reads }, { symbol }) => reads.symbolInfoTick(symbol),
  ),
  readTool(
    'get_market_book',
    "A symbol's market depth: sells, then buys.",
    { symbol: symbolInput, ...pageInput },
    pageOf(rowOf(bookFields)),
    async ({ reads }, { symbol, limit, cursor }) => pageFrom(await reads.marketBook(symbol), limit, cursor),
  ),
  readTool(
    'get_bars',
    'The last bars of a symbol, oldest first. With `skip` 0 the last bar is still forming.',
    {
      symbol: symbolInput,
      timeframe: timeframeInput,
      count: countInput,
      skip: z.int().min(0).max(1_000_000).default(0).describe('Bars to leave out at the end.'),
      ...pageInput,
    },
    pageOf(rowOf(barRowFields)),
    async ({ reads }, { symbol, timeframe, count, skip, limit, cursor }) =>
      pageFrom(await reads.fetchDataPos(symbol, timeframe, count, skip), limit, cursor),
  ),
  readTool(
    'get_bars_range',
    'The bars of a symbol that open in a span of time, oldest first.',
    {
      symbol: symbolInput,
      timeframe: timeframeInput,
      from: instantInput,
      to: instantInput,
      ...pageInput,
    },
    pageOf(rowOf(barRowFields)),
    async ({ reads }, { symbol, timeframe, from, to, limit, cursor }) =>
      pageFrom(await reads.fetchDataRange(symbol, timeframe, from, to), limit, cursor),
  ),
  readTool(
    'get_ticks',
    'The first ticks of a symbol from a time on.',
    { symbol: symbolInput, from: instantInput, count: countInput, ...pageInput },
    pageOf(rowOf(tickRowFields)),
    async ({ reads }, { symbol, from, count, limit, cursor }) =>
      pageFrom(await reads.copyTicksFrom(symbol, from, count), limit, cursor),
  ),
  readTool(
    'get_server_time',
    "A time in UTC and on the broker server's clock.",
    { date: instantInput },
    z.looseObject({ utc: z.string(), server_epoch: z.number(), offset_seconds: z.number() }),
    ({ reads }, { date }) => reads.serverTime(date),
  ),
];
