import { moneyText, priceText, volumeText, type PositionRecord } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { reasonAgainst } from './permission';
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
  const reason = reasonAgainst(desk, desk.positions, target);
  return (
    <tr data-ticket={row.ticket}>
      <th scope="row">{row.ticket}</th>
      <td>
        <Foreign text={row.symbol} />
      </td>
      <td>{row.type === 0 ? 'BUY' : 'SELL'}</td>
      <td>{volumeText(row.volume)}</td>
      <td>{priceText(row.price_open, digits)}</td>
      <td>{priceText(row.price_current, digits)}</td>
      <td>{level(row.sl, digits)}</td>
      <td>{level(row.tp, digits)}</td>
      <td>{moneyText(row.swap, desk.moneyDigits)}</td>
      <td class={row.profit < 0 ? 'loss' : 'gain'}>{moneyText(row.profit, desk.moneyDigits)}</td>
      <td class="actions">
        <Action label="Protect" target={target} reason={reason} onClick={() => askToProtect(desk, row)} />
        <Action label="Close" target={target} reason={reason} onClick={() => askToClose(desk, row)} />
      </td>
      <td>{row.magic}</td>
      <td>
        <RequestLink desk={desk} name={row.client_order_id} />
      </td>
      <td>
        <Foreign text={row.comment} />
      </td>
    </tr>
  );
}
