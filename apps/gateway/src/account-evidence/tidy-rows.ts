import type { ListFilter, TerminalClient, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { withCalls } from './replaced-calls';

type Rows = { readonly ticket: number };

/** Volumes and prices that are multiples of a step. The price of a netting position is an average, and is not. */
const stepped = ['volume', 'volume_initial', 'volume_current', 'sl', 'tp', 'price', 'price_stoplimit'] as const;
/** Decimals of any price and any volume. */
const scale = 1e8;

/**
 * The same terminal with tidy lists: only rows that were asked for, each once, in the order of their tickets, and without the noise of
 * floating-point numbers in volumes and prices. Some terminals show a row twice, or 0.100000001 lots.
 */
export function tidyTerminal(terminal: TerminalClient): TerminalClient {
  return withCalls(terminal, {
    positionsGet: async (filter): Promise<TradePosition[]> =>
      tidyRows(askedFor(filter, await terminal.positionsGet(filter))),
    ordersGet: async (filter): Promise<TradeOrder[]> => tidyRows(askedFor(filter, await terminal.ordersGet(filter))),
    historyOrdersGet: async (query): Promise<TradeOrder[]> => tidyRows(await terminal.historyOrdersGet(query)),
    historyDealsGet: async (query): Promise<TradeDeal[]> => tidyRows(await terminal.historyDealsGet(query)),
  });
}

/** Without rows of another ticket than the one that was asked for: they would be changed in its place. */
function askedFor<Row extends Rows>(filter: ListFilter | undefined, rows: Row[]): Row[] {
  const asked = filter?.ticket;
  return asked === undefined ? rows : rows.filter(({ ticket }) => ticket === asked);
}

/** The rows of a list, tidied. Rows that are tidy stay the same objects. */
function tidyRows<Row extends Rows>(rows: Row[]): Row[] {
  const tidy = rows.map(withoutNoise);
  let isOrdered = true;
  for (let at = 1; at < tidy.length; at++) isOrdered &&= ticketAt(tidy, at - 1) < ticketAt(tidy, at);
  if (isOrdered) return tidy;
  // Of rows with the same ticket, the last one is the newest.
  return [...new Map(tidy.map((row) => [row.ticket, row])).values()].sort((a, b) => a.ticket - b.ticket);
}

function ticketAt(rows: readonly Rows[], at: number): number {
  return rows[at]?.ticket ?? 0;
}

function withoutNoise<Row extends Rows>(row: Row): Row {
  let tidy = row;
  for (const name of stepped) {
    const value = (tidy as Partial<Record<string, unknown>>)[name];
    if (typeof value !== 'number') continue;
    const rounded = Math.round(value * scale) / scale;
    // Beyond 1e7 the scaled number has no exact double.
    if (rounded !== value && Math.abs(value) < 1e7) tidy = { ...tidy, [name]: rounded };
  }
  return tidy;
}
