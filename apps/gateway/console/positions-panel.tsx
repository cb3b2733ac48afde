import { priceText, type PositionRecord } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { lots, money, resultClass } from './figures';
import { reasonWhileTrading } from './permission';
import { RequestLink } from './request-link';
import { LevelCell, RowsPanel } from './rows-panel';
import { Cell } from './table';
import { Foreign, Side } from './text';
import { askToClose, askToProtect, positionTarget } from './trade-questions';

const headings = [
  ...['Symbol', 'Side', 'Volume', 'Open', 'Current', 'SL', 'TP', 'Swap', 'Profit'],
  ...['Ticket', 'Magic', 'Key', 'Comment', ''],
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
    <tr role="row" data-ticket={row.ticket}>
      <th scope="row" role="rowheader" data-label="Symbol" class="text">
        <Foreign text={row.symbol} />
      </th>
      <Cell label="Side">
        <Side type={row.type} />
      </Cell>
      <Cell label="Volume">{lots(row.volume, desk.digits.ofVolume(row.symbol))}</Cell>
      <Cell label="Open">{priceText(row.price_open, digits)}</Cell>
      <Cell label="Current">{priceText(row.price_current, digits)}</Cell>
      <LevelCell label="SL" value={row.sl} digits={digits} />
      <LevelCell label="TP" value={row.tp} digits={digits} />
      <Cell label="Swap">{money(row.swap, desk.moneyDigits)}</Cell>
      <Cell label="Profit" class={resultClass(row.profit)}>
        {money(row.profit, desk.moneyDigits)}
      </Cell>
      <Cell label="Ticket">{row.ticket}</Cell>
      <Cell label="Magic">{row.magic}</Cell>
      <Cell label="Key">
        <RequestLink desk={desk} name={row.client_order_id} />
      </Cell>
      <Cell label="Comment">
        <Foreign text={row.comment} />
      </Cell>
      <Cell label="" class="actions">
        <Action label="Protect" target={target} reason={reason} onClick={() => askToProtect(desk, row)} />
        <Action label="Close" target={target} reason={reason} onClick={() => askToClose(desk, row)} />
      </Cell>
    </tr>
  );
}
