import type { SetAsideAnswer, SetAsideNotification, TradeOutcome } from '@libs/gateway-client';
import type { Desk } from './desk';
import { ask } from './dialog';
import { setAsideVerdictOf } from './outcome';
import { Foreign } from './text';
import { send } from './writes';

/** What a change of a notification acts on: one at a time. */
export function notificationTarget({ channel, id }: SetAsideNotification): string {
  return `notification ${id} on ${channel}`;
}

/** Asks, then has a notification sent again. */
export function askToRetry(desk: Desk, row: SetAsideNotification): void {
  ask({
    title: 'Send the notification again?',
    content: (
      <>
        <Text row={row} />
        <p>
          It is queued on {row.channel} after those that are waiting. If the receiver refuses it again, it is set aside
          again.
        </p>
      </>
    ),
    confirm: 'Send again',
    onConfirm: () => {
      const { channel, id } = row;
      void change(desk, row, 'send again', () => desk.client.control.retryNotifications(channel, [id]));
      return null;
    },
  });
}

/** Asks, then drops a notification. */
export function askToDrop(desk: Desk, row: SetAsideNotification): void {
  ask({
    title: 'Drop the notification?',
    content: (
      <>
        <Text row={row} />
        <p>The gateway deletes it, and {row.channel} never receives it.</p>
      </>
    ),
    confirm: 'Drop notification',
    isDangerous: true,
    onConfirm: () => {
      const { channel, id } = row;
      void change(desk, row, 'drop', () => desk.client.control.dropNotifications(channel, [id]));
      return null;
    },
  });
}

function Text({ row }: { readonly row: SetAsideNotification }) {
  return (
    <p>
      {row.at} <Foreign text={row.text} />
    </p>
  );
}

async function change(
  desk: Desk,
  row: SetAsideNotification,
  action: string,
  perform: () => Promise<TradeOutcome<SetAsideAnswer>>,
): Promise<void> {
  const target = notificationTarget(row);
  const write = { what: `${action} ${target}`, target, key: null, login: desk.login.value, call: null };
  await send(write, async () => setAsideVerdictOf(row.id, await perform()));
  desk.refresh();
}
