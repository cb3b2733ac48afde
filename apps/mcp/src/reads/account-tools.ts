import {
  accountFields,
  checkRowFields,
  equityReadingFields,
  keyedOrderRowFields,
  positionRowFields,
  terminalInfoFields,
} from '@libs/records';
import { z } from 'zod';
import { pageFrom } from './page';
import { readTool } from './read-tool';
import { instantInput, pageInput, pageOf, rowOf, symbolInput } from './schemas';

const orderTypes = [
  ...(['BUY', 'SELL', 'BUY_LIMIT', 'SELL_LIMIT'] as const),
  ...(['BUY_STOP', 'SELL_STOP', 'BUY_STOP_LIMIT', 'SELL_STOP_LIMIT'] as const),
] as const;
/** The type of an order as a tool takes it. */
export const orderTypeInput = z.enum(orderTypes);
export const lotsInput = z.number().positive().max(1_000_000).describe('Lots.');

const listFilter = {
  magic: z.int().min(0).optional().describe('Only those of one strategy.'),
  symbol: symbolInput.optional(),
  ticket: z.int().positive().optional(),
};

/** Reads of the account and of what is open on it. */
export const accountTools = [
  readTool(
    'get_account',
    'The account: balance, equity, margin and permissions. Money is in the deposit currency.',
    {},
    rowOf(accountFields),
    ({ reads }) => reads.account(),
  ),
  readTool(
    'get_equity',
    'Balance and equity over time, as the gateway recorded them, oldest first.',
    {
      since: instantInput.optional().describe('Only readings after this time, ISO-8601 UTC.'),
      every_minutes: z.int().min(1).max(100_000).optional(),
      ...pageInput,
    },
    pageOf(rowOf(equityReadingFields)),
    async ({ reads }, { since, every_minutes, limit, cursor }) => {
      const query = {
        ...(since === undefined ? {} : { since }),
        ...(every_minutes === undefined ? {} : { every_minutes }),
      };
      return pageFrom(await reads.equity(query), limit, cursor);
    },
  ),
  readTool(
    'get_terminal',
    'The terminal: its build, connection and permissions.',
    {},
    rowOf(terminalInfoFields),
    ({ reads }) => reads.terminalInfo(),
  ),
  readTool(
    'list_positions',
    'Open positions. `profit` is floating, in the deposit currency.',
    { ...listFilter, ...pageInput },
    pageOf(rowOf(positionRowFields)),
    async ({ reads }, { limit, cursor, ...filter }) => pageFrom(await reads.positions(given(filter)), limit, cursor),
  ),
  readTool(
    'list_orders',
    'Pending orders.',
    { ...listFilter, ...pageInput },
    pageOf(rowOf(keyedOrderRowFields)),
    async ({ reads }, { limit, cursor, ...filter }) => pageFrom(await reads.orders(given(filter)), limit, cursor),
  ),
  readTool(
    'check_order',
    'What the terminal says of an order, without sending it and without a handle. To trade, use preview_order.',
    {
      symbol: symbolInput,
      volume: lotsInput,
      type: orderTypeInput,
      price: z.number().positive().optional(),
      stoplimit: z.number().positive().optional(),
      sl: z.number().positive().optional(),
      tp: z.number().positive().optional(),
    },
    rowOf(checkRowFields),
    ({ reads }, { symbol, volume, type, ...prices }) => reads.orderCheck({ symbol, volume, type, ...given(prices) }),
  ),
  readTool(
    'calculate_margin',
    'The margin that an order requires, in the deposit currency; at the market without a price.',
    { symbol: symbolInput, volume: lotsInput, type: orderTypeInput, price: z.number().positive().optional() },
    z.object({ margin: z.number() }),
    async ({ reads }, { symbol, volume, type, ...price }) => ({
      margin: await reads.orderCalcMargin({ symbol, volume, type, ...given(price) }),
    }),
  ),
  readTool(
    'calculate_profit',
    'The profit of a trade between two prices, in the deposit currency.',
    {
      symbol: symbolInput,
      volume: lotsInput,
      type: z.enum(['BUY', 'SELL']),
      price_open: z.number().positive(),
      price_close: z.number().positive(),
    },
    z.object({ profit: z.number() }),
    async ({ reads }, request) => ({ profit: await reads.orderCalcProfit(request) }),
  ),
];

type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Without the members that are undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  const kept: Given<Members> = {};
  for (const name of namesOf(members)) {
    const value = members[name];
    if (isGiven(value)) kept[name] = value;
  }
  return kept;
}

function namesOf<Members extends object>(members: Members): (keyof Members)[] {
  const names: (keyof Members)[] = [];
  for (const name in members) names.push(name);
  return names;
}

function isGiven<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined;
}
