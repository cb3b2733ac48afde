import { priceText, type RecentRequest } from '@libs/gateway-client';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Desk } from './desk';
import { lots } from './figures';
import { isUndone, outcomeText, reasonText, sentText } from './recent-request';
import { RequestLink } from './request-link';
import { timeText } from './strategy-view';
import { Cell, Table } from './table';
import { Foreign, Panel, SideWord } from './text';

const headings = [
  ...['Sent (UTC)', 'Outcome', 'Key', 'Request', 'Symbol', 'Side', 'Volume', 'Price'],
  ...['Reason', 'Ticket', 'Magic'],
];

/** What was sent to the gateway, by whomever, and what came of it. It is read while it is shown. */
export function RecentPanel({ desk }: { readonly desk: Desk }) {
  useEffect(() => {
    desk.showRecent('');
    return () => desk.hideRecent();
  }, [desk]);
  const shown = desk.recent.value;
  if (shown === null) return null;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const part = new FormData(event.currentTarget).get('key-part');
    if (typeof part === 'string') desk.showRecent(part.trim());
  };
  return (
    <section id="recent" class="panel" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent requests</h2>
      <form class="inline" onSubmit={submit}>
        <label for="key-part">Part of the key</label>
        <input id="key-part" name="key-part" type="search" maxLength={128} autocomplete="off" spellcheck={false} />
        <button type="submit">Search</button>
        <label>
          <input
            type="checkbox"
            checked={shown.onlyUndone}
            onChange={(event) => (desk.recent.value = { ...shown, onlyUndone: event.currentTarget.checked })}
          />{' '}
          Only what was not done
        </label>
      </form>
      <Panel id="recent-list" key={shown.part} title={titleOf(shown.part)} feed={shown.feed}>
        {({ requests, complete }) => {
          const rows = shown.onlyUndone ? requests.filter(isUndone) : requests;
          return (
            <>
              {rows.length === 0 ? (
                <p class="none">{noneText(requests.length, complete)}</p>
              ) : (
                <Table headings={headings}>
                  {rows.map((row) => (
                    <RecentRow key={row.key ?? row.request_id} desk={desk} row={row} />
                  ))}
                </Table>
              )}
              {!complete && <p class="note">There are older requests. Search for their key, or read the audit log.</p>}
            </>
          );
        }}
      </Panel>
    </section>
  );
}

function titleOf(part: string): string {
  return part === '' ? 'The newest' : `The newest with ${part} in their key`;
}

/** An empty list says nothing about what is older. */
function noneText(all: number, complete: boolean): string {
  if (all > 0) return 'All of them were done.';
  return complete ? 'No requests.' : 'No requests in the newest part of the log.';
}

function RecentRow({ desk, row }: { readonly desk: Desk; readonly row: RecentRequest }) {
  const { symbol } = row;
  const reason = reasonText(row);
  const price = row.price_filled ?? row.price_requested;
  const volume = row.volume_filled ?? row.volume_requested;
  const [priceDigits, volumeDigits] =
    symbol === null ? [undefined, undefined] : [desk.digits.of(symbol), desk.digits.ofVolume(symbol)];
  return (
    <tr role="row" data-outcome={row.outcome}>
      <th scope="row" role="rowheader" data-label="Sent (UTC)" class="text">
        <time dateTime={row.created_at} title={timeText(row.created_at)}>
          {sentText(row.created_at, new Date().toISOString().slice(0, 10))}
        </time>
      </th>
      <Cell label="Outcome">
        <b class={`state ${row.outcome.replaceAll('_', '-')}`}>{outcomeText(row)}</b>
      </Cell>
      <Cell label="Key">
        {row.key === null ? <span class="none">none</span> : <RequestLink desk={desk} name={row.key} />}
      </Cell>
      <Cell label="Request">{row.route}</Cell>
      <Cell label="Symbol">{symbol === null ? severalOf(row) : <Foreign text={symbol} />}</Cell>
      <Cell label="Side">{row.side !== null && <SideWord words={row.order_type ?? row.side.toUpperCase()} />}</Cell>
      <Cell label="Volume">{volume === null ? '' : lots(volume, volumeDigits)}</Cell>
      <Cell label="Price">{price === null || price === 0 ? '' : priceText(price, priceDigits)}</Cell>
      <Cell label="Reason" class="long">
        {reason === '' ? '' : <Foreign text={reason} />}
      </Cell>
      <Cell label="Ticket">{row.ticket ?? row.position ?? ''}</Cell>
      <Cell label="Magic">{row.magic ?? ''}</Cell>
    </tr>
  );
}

/** A request of several sends may have several symbols. */
function severalOf({ sends }: RecentRequest): string {
  return sends > 1 ? 'several' : '';
}
