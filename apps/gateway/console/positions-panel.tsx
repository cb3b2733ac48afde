import type { PositionRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { exact, Foreign, level, Panel } from './text';

export function PositionsPanel({ desk }: { readonly desk: Desk }) {
  return (
    <Panel id="positions" title="Positions" feed={desk.positions}>
      {(rows) => (rows.length === 0 ? <p>No open positions.</p> : <PositionTable rows={rows} />)}
    </Panel>
  );
}

function PositionTable({ rows }: { readonly rows: readonly PositionRecord[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {[
              'Ticket',
              'Symbol',
              'Side',
              'Volume',
              'Open',
              'Current',
              'SL',
              'TP',
              'Swap',
              'Profit',
              'Magic',
              'Comment',
            ].map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.ticket} data-ticket={row.ticket}>
              <th scope="row">{row.ticket}</th>
              <td>
                <Foreign text={row.symbol} />
              </td>
              <td>{row.type === 0 ? 'BUY' : 'SELL'}</td>
              <td>{exact(row.volume)}</td>
              <td>{exact(row.price_open)}</td>
              <td>{exact(row.price_current)}</td>
              <td>{level(row.sl)}</td>
              <td>{level(row.tp)}</td>
              <td>{row.swap.toFixed(2)}</td>
              <td class={row.profit < 0 ? 'loss' : 'gain'}>{row.profit.toFixed(2)}</td>
              <td>{row.magic}</td>
              <td>
                <Foreign text={row.comment} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
