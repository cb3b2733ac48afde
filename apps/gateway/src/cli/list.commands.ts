import { table } from '@libs/command-line';
import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import { printJson, type CommandCall, type CommandFlags } from './command';
import { exitCodes } from './exit-codes';

const sides = ['BUY', 'SELL'];
const orderTypes = [...sides, 'BUY_LIMIT', 'SELL_LIMIT', 'BUY_STOP', 'SELL_STOP', 'BUY_STOP_LIMIT', 'SELL_STOP_LIMIT'];

/** `gateway positions`: the open positions. */
export async function positions(call: CommandCall): Promise<number> {
  const rows = await call.client.reads.positions(filterOf(call.flags));
  if (call.flags.json) printJson(call, rows);
  else call.out(rows.length === 0 ? 'no open positions' : positionTable(rows));
  return exitCodes.fine;
}

/** `gateway orders`: the pending orders. */
export async function orders(call: CommandCall): Promise<number> {
  const rows = await call.client.reads.orders(filterOf(call.flags));
  if (call.flags.json) printJson(call, rows);
  else call.out(rows.length === 0 ? 'no pending orders' : orderTable(rows));
  return exitCodes.fine;
}

function filterOf({ magic, symbol }: CommandFlags): { magic?: number; symbol?: string } {
  return { ...(magic === undefined ? {} : { magic }), ...(symbol === undefined ? {} : { symbol }) };
}

export function positionTable(rows: readonly PositionRecord[]): string {
  const headings = [
    'TICKET',
    'SYMBOL',
    'SIDE',
    'VOLUME',
    'OPEN',
    'CURRENT',
    'SL',
    'TP',
    'SWAP',
    'PROFIT',
    'MAGIC',
    'KEY',
  ];
  const cells = rows.map((row) => [
    ...[row.ticket, row.symbol, sides[row.type] ?? row.type, exact(row.volume), exact(row.price_open)],
    ...[exact(row.price_current), level(row.sl), level(row.tp), row.swap.toFixed(2), row.profit.toFixed(2)],
    ...[row.magic, row.client_order_id],
  ]);
  return table(headings, cells);
}

export function orderTable(rows: readonly OrderRecord[]): string {
  const headings = ['TICKET', 'SYMBOL', 'TYPE', 'VOLUME', 'PRICE', 'CURRENT', 'SL', 'TP', 'MAGIC', 'KEY'];
  const cells = rows.map((row) => [
    ...[row.ticket, row.symbol, orderTypes[row.type] ?? row.type, exact(row.volume_current), exact(row.price_open)],
    ...[exact(row.price_current), level(row.sl), level(row.tp), row.magic, row.client_order_id],
  ]);
  return table(headings, cells);
}

/** All digits of a price or volume; the table itself rounds to cents. */
export function exact(value: number): string {
  return String(value);
}

function level(value: number): string | null {
  return value === 0 ? null : exact(value);
}
