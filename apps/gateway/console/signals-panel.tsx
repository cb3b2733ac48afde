import type { SignalRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { RowsPanel } from './rows-panel';
import { Cell } from './table';
import { Foreign } from './text';

const headings = ['Source', 'Received (UTC)', 'Alert', 'State', 'Outcome', 'Number'];

/** The newest alerts of the sources of signals, and what became of each. Without a source, there is no panel. */
export function SignalsPanel({ desk }: { readonly desk: Desk }) {
  const sources = desk.health.reading.value.value?.signals ?? [];
  if (sources.length === 0) return null;
  return (
    <RowsPanel id="signals" title="Signals" feed={desk.signals} headings={headings} none="No alert has come yet.">
      {(row) => <SignalRow key={row.number} row={row} />}
    </RowsPanel>
  );
}

function SignalRow({ row }: { readonly row: SignalRecord }) {
  return (
    <tr role="row" data-id={row.number}>
      <th scope="row" role="rowheader" class="text">
        {row.source}
      </th>
      <Cell label="Received (UTC)">{row.received_at.slice(0, 19).replace('T', ' ')}</Cell>
      <Cell label="Alert" class="long">
        <Foreign text={row.alert} />
      </Cell>
      <Cell label="State">{row.state.replaceAll('_', ' ')}</Cell>
      <Cell label="Outcome" class="long">
        <Foreign text={outcomeOf(row)} />
      </Cell>
      <Cell label="Number">{row.number}</Cell>
    </tr>
  );
}

/** What its requests led to, then why it is in its state, and what shows that others were lost. */
function outcomeOf({ requests, reason, gap }: SignalRecord): string {
  const made = requests.flatMap(({ text }) => (text === null || text === reason ? [] : [text]));
  return [...made, reason ?? '', gap ?? ''].filter((text) => text !== '').join('; ');
}
