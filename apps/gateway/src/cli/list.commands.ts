import { table } from '@libs/command-line';
import { moneyText, priceText, volumeText, type OrderRecord, type PositionRecord } from '@libs/gateway-client';
import { printJson, type CommandCall, type CommandFlags } from './command';
import { exitCodes } from './exit-codes';

const sides = ['BUY', 'SELL'];
const orderTypes = [...sides, 'BUY_LIMIT', 'SELL_LIMIT', 'BUY_STOP', 'SELL_STOP', 'BUY_STOP_LIMIT', 'SELL_STOP_LIMIT'];

/** `gateway positions`: the open positions. */
export async function positions(call: CommandCall): Promise<number> {
  const rows = await call.client.reads.positions(filterOf(call.flags));
  if (call.flags.json) printJson(call, rows);
  else
    call.out(
      rows.length === 0
        ? 'no open positions'
        : positionTable(rows, await digitsOf(call, rows), await currencyDigits(call)),
    );
  return exitCodes.fine;
}

/** `gateway orders`: the pending orders. */
export async function orders(call: CommandCall): Promise<number> {
  const rows = await call.client.reads.orders(filterOf(call.flags));
  if (call.flags.json) printJson(call, rows);
  else call.out(rows.length === 0 ? 'no pending orders' : orderTable(rows, await digitsOf(call, rows)));
  return exitCodes.fine;
}

function filterOf({ magic, symbol }: CommandFlags): { magic?: number; symbol?: string } {
  return { ...(magic === undefined ? {} : { magic }), ...(symbol === undefined ? {} : { symbol }) };
}

/** Digits of the prices of symbols, as far as they could be read. */
export type Digits = ReadonlyMap<string, number>;

/** Reads the digits of the symbols of some rows; a table without them is better than none. */
export async function digitsOf({ client }: CommandCall, rows: readonly { readonly symbol: string }[]): Promise<Digits> {
  const names = [...new Set(rows.map(({ symbol }) => symbol))];
  const read = await Promise.allSettled(names.map((name) => client.reads.symbolInfo(name)));
  return new Map(read.flatMap((each) => (each.status === 'fulfilled' ? [[each.value.name, each.value.digits]] : [])));
}

/** Decimals of the account currency; undefined if they cannot be read. */
export async function currencyDigits({ client }: CommandCall): Promise<number | undefined> {
  return client.reads.account().then(
    ({ currency_digits: digits }) => digits,
    () => undefined,
  );
}

export function positionTable(rows: readonly PositionRecord[], digits: Digits, money: number | undefined): string {
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
    ...[row.ticket, row.symbol, sides[row.type] ?? row.type, volumeText(row.volume), price(row, 'price_open', digits)],
    ...[
      price(row, 'price_current', digits),
      level(row, 'sl', digits),
      level(row, 'tp', digits),
      moneyText(row.swap, money),
      moneyText(row.profit, money),
    ],
    ...[row.magic, row.client_order_id],
  ]);
  return table(headings, cells);
}

export function orderTable(rows: readonly OrderRecord[], digits: Digits): string {
  const headings = ['TICKET', 'SYMBOL', 'TYPE', 'VOLUME', 'PRICE', 'CURRENT', 'SL', 'TP', 'MAGIC', 'KEY'];
  const cells = rows.map((row) => [
    ...[
      row.ticket,
      row.symbol,
      orderTypes[row.type] ?? row.type,
      volumeText(row.volume_current),
      price(row, 'price_open', digits),
    ],
    ...[
      price(row, 'price_current', digits),
      level(row, 'sl', digits),
      level(row, 'tp', digits),
      row.magic,
      row.client_order_id,
    ],
  ]);
  return table(headings, cells);
}

type Priced = Pick<PositionRecord, 'symbol' | 'price_open' | 'price_current' | 'sl' | 'tp'>;
type PriceName = Exclude<keyof Priced, 'symbol'>;

function price(row: Priced, name: PriceName, digits: Digits): string {
  return priceText(row[name], digits.get(row.symbol));
}

function level(row: Priced, name: PriceName, digits: Digits): string | null {
  return row[name] === 0 ? null : price(row, name, digits);
}
