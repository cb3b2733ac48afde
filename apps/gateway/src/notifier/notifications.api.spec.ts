import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStores } from '@libs/store';
import { exitCodeOf, problemOf } from '../cli/exit-codes';
import { run } from '../cli/run';
import { gatewayUnderTest, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';
import type { Notification } from './notification';
import { NotifierStore } from './notifier.store';
import { HttpReceiver } from './testing/http-receiver';

const message = (number: number): Notification => ({
  ...{ id: `trade-1-${number}`, type: 'trade', state: null, at: '2026-01-07T10:00:00.000Z', account: 1 },
  ...{ text: `deal ${number} added`, data: null },
});

/** A gateway that finds three messages set aside on its disk, asked by the command line over a real socket. */
describe('the notifications that were set aside', () => {
  let folder: string;
  let hook: HttpReceiver;
  let gateway: GatewayUnderTest;
  let url: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'set-aside-'));
    hook = await HttpReceiver.start();
    const store = new NotifierStore(lmdbStores, join(folder, 'state', 'notifications'));
    await store.take([
      { channel: 'ops', messages: [message(1), message(2)], cursor: 0 },
      { channel: 'desk', messages: [message(1)], cursor: 0 },
    ]);
    for (const queued of [...store.head('ops', 10), ...store.head('desk', 10)]) {
      await store.setAside(queued, 'HTTP 400', '2026-01-08T11:00:00.000Z');
    }
    await store.close();
    const file = join(folder, 'alerts.yaml');
    const channel = `{ type: webhook, url: '${hook.url}', secret_file: ${folder}/secret }`;
    const rule = '{ on: halt, channels: [ops, desk] }';
    writeFileSync(join(folder, 'secret'), 'whsec');
    writeFileSync(file, `channels:\n  ops: ${channel}\n  desk: ${channel}\nrules:\n  - ${rule}\n`);
    gateway = await gatewayUnderTest({ folder, env: { NOTIFIER_FILE: file, API_KEY_READONLY: 'reading' } });
    await gateway.app.listen(0, '127.0.0.1');
    url = await gateway.app.getUrl();
  });
  afterEach(async () => {
    await gateway.stop();
    await hook.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function command(line: string, key = testKey): Promise<{ code: number; out: string; err: string }> {
    const [out, err]: [string[], string[]] = [[], []];
    const edge = {
      ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
      ...{ env: { GATEWAY_URL: url, API_KEY: key }, signal: new AbortController().signal },
    };
    const code = await run(['notifications', ...line.split(' ').filter(Boolean)], edge).catch((error: unknown) => {
      err.push(problemOf(error));
      return exitCodeOf(error);
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  const counts = async (): Promise<number[]> =>
    (await gateway.call('/health'))
      .json<{ notifications: { set_aside: number }[] }>()
      .notifications.map((one) => one.set_aside);
  const delivered = (): string[] => hook.messages<Notification>().map(({ id }) => id);
  const arrived = async (count: number): Promise<void> => {
    for (let turn = 0; turn < 200 && delivered().length < count; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are listed with the reason, and the exit code says that they need an operator', async () => {
    expect(await command('')).toEqual({
      code: 1,
      err: '',
      out: expect.stringMatching(
        /^CHANNEL +ID .*\nops +trade-1-1 +2026-01-07T10:00:00.000Z +2026-01-08T11:00:00.000Z +HTTP 400 +deal 1 added\nops +trade-1-2 .*\ndesk +trade-1-1 [^\n]*$/,
      ),
    });
    const { out } = await command('--json', 'reading');
    expect(JSON.parse(out)).toMatchObject([
      { channel: 'ops', id: 'trade-1-1', type: 'trade', account: 1, reason: 'HTTP 400' },
      { channel: 'ops', id: 'trade-1-2' },
      { channel: 'desk', id: 'trade-1-1', refused_at: '2026-01-08T11:00:00.000Z' },
    ]);
  });

  it('are sent again on one channel, all of them or one', async () => {
    expect(await command('retry ops trade-1-2')).toEqual({
      ...{ code: 0, err: '', out: '1 notification of ops queued to be sent again' },
    });
    await arrived(1);
    expect(await counts()).toEqual([1, 1]);
    expect((await command('retry ops')).code).toBe(0);
    await arrived(2);
    expect(hook.messages()).toEqual([message(2), message(1)]);
    expect(await counts()).toEqual([0, 1]);
    expect(await command('retry ops')).toMatchObject({ code: 1, err: 'no notification is set aside on ops' });
  });

  it('are set aside again at once if the receiver refuses them again', async () => {
    hook.answerWith(() => ({ status: 422 }));
    expect((await command('retry ops trade-1-2')).code).toBe(0);
    for (let turn = 0; turn < 200 && (await counts())[0] !== 2; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { out } = await command('--json');
    expect(JSON.parse(out)).toMatchObject([{ id: 'trade-1-1' }, { id: 'trade-1-2', reason: 'HTTP 422' }, {}]);
    expect(hook.received).toHaveLength(1);
  });

  it('are dropped on one channel, and a repetition changes nothing', async () => {
    expect(await command('drop ops trade-1-1')).toMatchObject({ code: 0, out: '1 notification of ops dropped' });
    expect(await command('drop ops trade-1-1')).toMatchObject({ code: 1, err: 'trade-1-1 is not set aside on ops' });
    const payload = { channel: 'ops', ids: ['trade-1-1', 'trade-1-2'] };
    const answer = await gateway.call({ method: 'POST', url: '/notifications/drop', payload });
    expect(answer.json()).toMatchObject({ ok: true, ids: ['trade-1-2'], not_set_aside: ['trade-1-1'] });
    expect(await counts()).toEqual([0, 1]);
    expect((await command('drop desk --json')).code).toBe(0);
    expect(await command('')).toEqual({ code: 0, err: '', out: 'no notifications are set aside' });
    expect(delivered()).toEqual([]);
  });

  it('are not changed by a wrong command, a wrong body or the read-only key', async () => {
    expect(await command('delete ops')).toMatchObject({ code: 2, err: expect.stringContaining('retry or drop') });
    expect(await command('drop')).toMatchObject({ code: 2, err: expect.stringContaining('needs a channel') });
    expect(await command('drop ops', 'reading')).toMatchObject({ code: 4 });
    for (const payload of [{ channel: 'ops' }, { channel: 'ops', ids: [] }, { channel: 'ops', ids: [7] }]) {
      const answer = await gateway.call({ method: 'POST', url: '/notifications/drop', payload });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error_type: 'validation_error' });
    }
    expect(await counts()).toEqual([2, 1]);
  });
});
