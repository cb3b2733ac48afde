import { keyedDealRowFields, keyedOrderRowFields, positionSummaryFields, tradeEventFields } from '@libs/records';
import { z } from 'zod';
import { given } from './account-tools';
import { pageFrom } from './page';
import { readTool } from './read-tool';
import { instantInput, pageInput, pageOf, rowOf } from './schemas';

const windowInput = {
  from_date: instantInput.optional().describe('ISO-8601 UTC; 31 days ago by default.'),
  to_date: instantInput.optional().describe('ISO-8601 UTC; now by default.'),
};
const ticket = z.int().positive();

/** Reads of what is past. */
export const historyTools = [
  readTool(
    'list_deals',
    'Deals of a window, of one position, or of one order, oldest first.',
    { ...windowInput, position: ticket.optional(), order: ticket.optional(), ...pageInput },
    pageOf(rowOf(keyedDealRowFields)),
    async ({ reads }, { limit, cursor, ...query }) =>
      pageFrom(await reads.historyDealsGet(given(query)), limit, cursor),
  ),
  readTool(
    'list_past_orders',
    'Completed orders of a window, or of one position.',
    { ...windowInput, position: ticket.optional(), ...pageInput },
    pageOf(rowOf(keyedOrderRowFields)),
    async ({ reads }, { limit, cursor, ...query }) =>
      pageFrom(await reads.historyOrdersGet(given(query)), limit, cursor),
  ),
  readTool(
    'get_position_summary',
    'The summary of the deals of one position, open or closed; `found` is false if the terminal does not know it.',
    { position: ticket },
    z.object({ found: z.boolean(), summary: rowOf(positionSummaryFields).nullable() }),
    async ({ reads }, { position }) => foundAs('summary', await reads.dealFromTicket(position)),
  ),
  readTool(
    'get_order',
    'One order, pending or completed; `found` is false if the terminal does not know it.',
    { ticket },
    z.object({ found: z.boolean(), order: rowOf(keyedOrderRowFields).nullable() }),
    async ({ reads }, { ticket: order }) => foundAs('order', await reads.orderFromTicket(order)),
  ),
  readTool(
    'list_events',
    'The event log: positions, orders and deals as they changed, oldest first. Continue with `next_since`.',
    { since: z.int().min(0).optional(), limit: pageInput.limit, magic: z.int().min(0).optional() },
    z.looseObject({
      events: z.array(rowOf(tradeEventFields)),
      next_since: z.number().describe('Give it as `since` for the next page.'),
    }),
    ({ reads }, query) => reads.events({ limit: query.limit, ...given(query) }),
  ),
];

function foundAs(name: string, row: object | null): object {
  return { found: row !== null, [name]: row };
}
