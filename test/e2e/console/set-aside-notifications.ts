import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lmdbStores } from '@libs/store';
import { NotifierStore } from '../../../apps/gateway/src/notifier/notifier.store';
import { HttpReceiver } from '../../../apps/gateway/src/notifier/testing/http-receiver';
import type { Scratch } from '../programs/scratch';

export interface SetAsideNotifications {
  readonly receiver: HttpReceiver;
  /** NOTIFIER_FILE with one channel, ops, that sends to the receiver. */
  readonly file: string;
}

/** Writes a queue of notifications from which ops has set these aside: a gateway takes a day until it does that. */
export async function leaveSetAside(
  scratch: Scratch,
  stateDir: string,
  texts: readonly string[],
): Promise<SetAsideNotifications> {
  const store = new NotifierStore(lmdbStores, join(stateDir, 'notifications'));
  const messages = texts.map((text, index) => ({
    ...({ id: `trade-100001-${index + 1}`, type: 'trade', state: null, at: '2026-01-05T10:00:00.250Z' } as const),
    ...{ account: 100001, text, data: null },
  }));
  await store.take([{ channel: 'ops', messages }]);
  for (const queued of store.head('ops', texts.length)) {
    await store.setAside(queued, 'HTTP 400', '2026-01-06T10:05:00.000Z');
  }
  await store.close();
  const receiver = await HttpReceiver.start();
  scratch.undo(() => receiver.close());
  const file = join(scratch.folder(), 'alerts.yaml');
  const channel = `ops: { type: webhook, url: '${receiver.url}/', secret_env: ALERTS_WEBHOOK_SECRET }`;
  writeFileSync(file, `channels:\n  ${channel}\nrules:\n  - { on: drawdown, channels: [ops], percent: 99 }\n`);
  return { receiver, file };
}
