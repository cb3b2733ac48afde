import { table } from '@libs/command-line';
import type { Reconciliation } from '@libs/gateway-client';
import { countText } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes } from './exit-codes';
import { currencyDigits, digitsOf, orderTable, positionTable, type Digits } from './list.commands';

/** `gateway reconcile`: the broker's books beside the journal; not fine if they differ or an outcome is unknown. */
export async function reconcile(call: CommandCall): Promise<number> {
  const { magic, hours, json } = call.flags;
  const books = await call.client.reads.reconcile({
    ...(magic === undefined ? {} : { magic }),
    ...(hours === undefined ? {} : { lookback_hours: hours }),
  });
  if (json) printJson(call, books);
  else
    call.out(booksText(books, await digitsOf(call, [...books.positions, ...books.orders]), await currencyDigits(call)));
  return books.differences.length + books.unresolved.length === 0 ? exitCodes.fine : exitCodes.attention;
}

function booksText(books: Reconciliation, digits: Digits, money: number | undefined): string {
  const { as_of, positions, orders, deals, unresolved, differences } = books;
  const sections = [
    `as of ${as_of}: ${countText(positions.length, 'position')}, ${countText(orders.length, 'order')}, ${countText(deals.length, 'recent deal')}`,
    ...(positions.length === 0 ? [] : [positionTable(positions, digits, money)]),
    ...(orders.length === 0 ? [] : [orderTable(orders, digits)]),
    unresolved.length === 0 ? 'no request has an unknown outcome' : unresolvedTable(unresolved),
    differences.length === 0 ? 'no differences from the journal' : differenceTable(differences),
  ];
  return sections.join('\n\n');
}

export function unresolvedTable(unresolved: Reconciliation['unresolved']): string {
  const cells = unresolved.flatMap(({ client_order_id: key, id, route, created_at: at, sends }) =>
    sends.map((send) => [
      key ?? id,
      route,
      at,
      send.symbol,
      send.undecidable ? 'undecidable' : 'looked up',
      send.reason,
    ]),
  );
  return table(['UNKNOWN OUTCOME', 'ROUTE', 'FIRST USED', 'SYMBOL', 'STATE', 'REASON'], cells);
}

function differenceTable(differences: Reconciliation['differences']): string {
  const cells = differences.map(({ kind, ticket, symbol, message }) => [kind, ticket, symbol, message]);
  return table(['DIFFERENCE', 'TICKET', 'SYMBOL', 'MEANING'], cells);
}
