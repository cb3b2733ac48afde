import { priceText, type OrderRecord } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { lots } from './figures';
import { reasonAgainst } from './permission';
import { RequestLink } from './request-link';
import { LevelCell, RowsPanel } from './rows-panel';
import { Cell } from './table';
import { Foreign, Side } from './text';
import { askToCancel, orderTarget } from './trade-questions';

const headings = ['Symbol', 'Type', 'Volume', 'Price', 'Current', 'SL', 'TP', 'Ticket', 'Magic', 'Key', 'Comment', ''];

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
    <tr role="row" data-ticket={row.ticket}>
      <th scope="row" role="rowheader" data-label="Symbol" class="text">
        <Foreign text={row.symbol} />
      </th>
      <Cell label="Type">
        <Side type={row.type} />
      </Cell>
      <Cell label="Volume">{lots(row.volume_current, desk.digits.ofVolume(row.symbol))}</Cell>
      <Cell label="Price">{priceText(row.price_open, digits)}</Cell>
      <Cell label="Current">{priceText(row.price_current, digits)}</Cell>
      <LevelCell label="SL" value={row.sl} digits={digits} />
      <LevelCell label="TP" value={row.tp} digits={digits} />
      <Cell label="Ticket">{row.ticket}</Cell>
      <Cell label="Magic">{row.magic}</Cell>
      <Cell label="Key">
        <RequestLink desk={desk} name={row.client_order_id} />
      </Cell>
      <Cell label="Comment">
        <Foreign text={row.comment} />
      </Cell>
      <Cell label="" class="actions">
        <Action label="Cancel" target={target} reason={reason} onClick={() => askToCancel(desk, row)} />
      </Cell>
    </tr>
  );
}
