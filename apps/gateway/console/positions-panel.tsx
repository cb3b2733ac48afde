import { moneyText, priceText, volumeText, type PositionRecord } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { reasonWhileTrading } from './permission';
import { RequestLink } from './request-link';
import { RowsPanel } from './rows-panel';
import { Foreign, level } from './text';
import { askToClose, askToProtect, positionTarget } from './trade-questions';

const headings = [
  ...['Ticket', 'Symbol', 'Side', 'Volume', 'Open', 'Current', 'SL', 'TP', 'Swap', 'Profit', ''],
  ...['Magic', 'Key', 'Comment'],
];

export function PositionsPanel({ desk }: { readonly desk: Desk }) {
  return (
    <RowsPanel id="positions" title="Positions" feed={desk.positions} headings={headings} none="No open positions.">
      {(row) => <PositionRow key={row.ticket} desk={desk} row={row} />}
    </RowsPanel>
  );
}

function PositionRow({ desk, row }: { readonly desk: Desk; readonly row: PositionRecord }) {
  const target = positionTarget(row.ticket);
  const digits = desk.digits.of(row.symbol);
  const reason = reasonWhileTrading(desk, desk.positions, target);
  return (
    <tr data-ticket={row.ticket}>
      <th scope="row" data-label="Ticket">
        {row.ticket}
      </th>
      <td data-label="Symbol">
        <Foreign text={row.symbol} />
      </td>
      <td data-label="Side">{row.type === 0 ? 'BUY' : 'SELL'}</td>
      <td data-label="Volume">{volumeText(row.volume)}</td>
      <td data-label="Open">{priceText(row.price_open, digits)}</td>
      <td data-label="Current">{priceText(row.price_current, digits)}</td>
      <td data-label="SL">{level(row.sl, digits)}</td>
      <td data-label="TP">{level(row.tp, digits)}</td>
      <td data-label="Swap">{moneyText(row.swap, desk.moneyDigits)}</td>
      <td data-label="Profit" class={row.profit < 0 ? 'loss' : 'gain'}>
        {moneyText(row.profit, desk.moneyDigits)}
      </td>
      <td class="actions">
        <Action label="Protect" target={target} reason={reason} onClick={() => askToProtect(desk, row)} />
        <Action label="Close" target={target} reason={reason} onClick={() => askToClose(desk, row)} />
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
