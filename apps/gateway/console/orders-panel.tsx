import { priceText, volumeText, type OrderRecord } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { reasonAgainst } from './permission';
import { RequestLink } from './request-link';
import { RowsPanel } from './rows-panel';
import { Foreign, level, orderTypeText } from './text';
import { askToCancel, orderTarget } from './trade-questions';

const headings = ['Ticket', 'Symbol', 'Type', 'Volume', 'Price', 'Current', 'SL', 'TP', '', 'Magic', 'Key', 'Comment'];

export function OrdersPanel({ desk }: { readonly desk: Desk }) {
  return (
    <RowsPanel id="orders" title="Pending orders" feed={desk.orders} headings={headings} none="No pending orders.">
      {(row) => <OrderRow key={row.ticket} desk={desk} row={row} />}
    </RowsPanel>
  );
}

function OrderRow({ desk, row }: { readonly desk: Desk; readonly row: OrderRecord }) {
  const target = orderTarget(row.ticket);
  const digits = desk.digits.of(row.symbol);
  const reason = reasonAgainst(desk, desk.orders, target);
  return (
    <tr data-ticket={row.ticket}>
      <th scope="row" data-label="Ticket">
        {row.ticket}
      </th>
      <td data-label="Symbol">
        <Foreign text={row.symbol} />
      </td>
      <td data-label="Type">{orderTypeText(row.type)}</td>
      <td data-label="Volume">{volumeText(row.volume_current)}</td>
      <td data-label="Price">{priceText(row.price_open, digits)}</td>
      <td data-label="Current">{priceText(row.price_current, digits)}</td>
      <td data-label="SL">{level(row.sl, digits)}</td>
      <td data-label="TP">{level(row.tp, digits)}</td>
      <td class="actions">
        <Action label="Cancel" target={target} reason={reason} onClick={() => askToCancel(desk, row)} />
      </td>
      <td data-label="Magic">{row.magic}</td>
      <td data-label="Key">
        <RequestLink desk={desk} name={row.client_order_id} />
      </td>
      <td data-label="Comment">
        <Foreign text={row.comment} />
      </td>
    </tr>
  );
}
