import type { SetAsideNotification } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { askToDrop, askToRetry, notificationTarget } from './notification-questions';
import { reasonAgainstRepeatable } from './permission';
import { RowsPanel } from './rows-panel';
import { Cell } from './table';
import { Foreign } from './text';

const headings = ['Channel', 'Happened', 'Notification', 'Last answer', 'Set aside', 'Id', ''];

/** Notifications that their receivers refused for a day. Without a channel, there is no panel. */
export function NotificationsPanel({ desk }: { readonly desk: Desk }) {
  const channels = desk.health.reading.value.value?.notifications ?? [];
  if (channels.length === 0) return null;
  return (
    <RowsPanel
      id="notifications"
      title="Notifications set aside"
      feed={desk.notifications}
      headings={headings}
      none="No notification is set aside."
    >
      {(row) => <NotificationRow key={notificationTarget(row)} desk={desk} row={row} />}
    </RowsPanel>
  );
}

function NotificationRow({ desk, row }: { readonly desk: Desk; readonly row: SetAsideNotification }) {
  const target = notificationTarget(row);
  const reason = reasonAgainstRepeatable(desk, desk.notifications, target);
  return (
    <tr role="row" data-id={row.id}>
      <th scope="row" role="rowheader" class="text">
        {row.channel}
      </th>
      <Cell label="Happened">{row.at}</Cell>
      <Cell label="Notification">
        <Foreign text={row.text} />
      </Cell>
      <Cell label="Last answer">
        <Foreign text={row.reason} />
      </Cell>
      <Cell label="Set aside">{row.refused_at}</Cell>
      <Cell label="Id">{row.id}</Cell>
      <Cell label="" class="actions">
        <Action label="Retry" target={target} reason={reason} onClick={() => askToRetry(desk, row)} />
        <Action label="Drop" target={target} reason={reason} onClick={() => askToDrop(desk, row)} />
      </Cell>
    </tr>
  );
}
