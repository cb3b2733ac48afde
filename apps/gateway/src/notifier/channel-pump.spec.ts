import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { lmdbStores } from '@libs/store';
import { ChannelPump } from './channel-pump';
import { NotifierStore } from './notifier.store';
import { RecordingChannel } from './testing/recording-channel';

describe('an attempt whose channel does not end', () => {
  const clock = new VirtualClock();
  const quiet = { warn: () => undefined, log: () => undefined, delivered: () => undefined, failed: () => undefined };
  const facts = { id: 'trade-1-1', at: '2026-01-07T10:00:00.000Z', account: 1, text: 'deal 1 added', data: null };
  const message = { ...facts, type: 'trade', state: null } as const;
  let folder: string;
  let store: NotifierStore;
  let pump: ChannelPump;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pump-'));
    store = new NotifierStore(lmdbStores, folder);
    const channel = new RecordingChannel('ops');
    channel.behaviour = 'deaf';
    pump = new ChannelPump(channel, store, clock, quiet, quiet);
    await store.take([{ channel: 'ops', messages: [message] }]);
    pump.wake();
    await clock.advance(14_999);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('is a failure after 15 seconds', async () => {
    expect(pump.report()).toMatchObject({ state: 'ok', waiting: 1 });
    await clock.advance(1);
    expect(pump.report()).toMatchObject({ state: 'failing', failures: 1, last_error: 'no answer in time', waiting: 1 });
    await pump.stop();
  });

  it('does not delay the stop', async () => {
    await pump.stop();
    expect(pump.report()).toMatchObject({ waiting: 1 });
  });
});
