import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { VirtualClock } from '@libs/clock';
import { lmdbStores } from '@libs/store';
import { ChannelPump } from '../channel-pump';
import type { Notification } from '../notification';
import type { ChannelSpec } from '../notifier-file';
import { NotifierStore } from '../notifier.store';
import { HttpReceiver } from '../testing/http-receiver';
import { channelOf } from './channel-of';
import type { Channel, Delivery } from './channel';

const message = (number: number, text = 'deal 1 added'): Notification => ({
  ...{ id: `trade-1-${number}`, type: 'trade', state: null, at: '2026-01-07T10:00:00.000Z', account: 1 },
  ...{ text, data: null },
});
const deliver = (spec: ChannelSpec, messages: readonly Notification[]): Promise<Delivery> => {
  const channel = channelOf(spec, new VirtualClock());
  return channel.deliver(messages.slice(0, channel.fitting(messages)), new AbortController().signal);
};

describe('a channel over HTTP', () => {
  let receiver: HttpReceiver;
  beforeEach(async () => (receiver = await HttpReceiver.start()));
  afterEach(() => receiver.close());

  const telegram = (): ChannelSpec => ({ type: 'telegram', name: 'x', chatId: '5', token: '1:t', url: receiver.url });
  const discord = (): ChannelSpec => ({ type: 'discord', name: 'x', url: `${receiver.url}/api/webhooks/1/secret` });

  it('combines as many lines as Telegram accepts, and cuts one that is too long', async () => {
    const many = Array.from({ length: 200 }, (_, number) => message(number));
    expect(await deliver(telegram(), many)).toEqual({ kind: 'taken' });
    expect(await deliver(telegram(), [message(1, 'x'.repeat(9_000))])).toEqual({ kind: 'taken' });
    const texts = receiver.taken.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts[0]?.length).toBeGreaterThan(3_900);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(4_096);
    expect(texts[0]?.split('\n')[1]).toBe('2026-01-07T10:00:00.000Z account 1: deal 1 added [trade-1-1]');
  });

  it('posts to Discord, waits until it is stored, and mentions nobody', async () => {
    expect(await deliver(discord(), [message(1, '@everyone deal')])).toEqual({ kind: 'taken' });
    expect(receiver.taken[0]?.path).toBe('/api/webhooks/1/secret?wait=true');
    expect(JSON.parse(receiver.taken[0]?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('understands the wait that Discord asks for, in seconds, and one that is a date', async () => {
    receiver.answerWith(() => ({ status: 429, body: '{"retry_after": 1.5}' }));
    expect(await deliver(discord(), [message(1)])).toMatchObject({ reason: 'HTTP 429', retryAfterMs: 1_500 });
    const date = new Date(Date.now() + 100_000).toUTCString();
    receiver.answerWith(() => ({ status: 503, headers: { 'retry-after': date } }));
    const delivery = await deliver(discord(), [message(1)]);
    expect(delivery.kind === 'failed' && delivery.retryAfterMs).toBeGreaterThan(90_000);
  });

  it('names no secret when it fails', async () => {
    receiver.answerWith(({ path }) => ({ status: 401, body: `bad ${path}` }));
    expect(await deliver(telegram(), [message(1)])).toEqual({ kind: 'failed', reason: 'HTTP 401', isRefused: false });
    await receiver.close();
    expect(await deliver(telegram(), [message(1)])).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
    expect(await deliver(discord(), [message(1)])).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
    await receiver.open();
  });
});

describe('a channel by e-mail', () => {
  const mails: string[] = [];
  /** The recipients of each mail. */
  const reached: string[][] = [];
  const refused = new Set<string>();
  /** Answer after a mail; null to accept it. */
  let answer: { readonly code: number; readonly text: string } | null = null;
  let server: SMTPServer;
  beforeEach(async () => {
    mails.length = 0;
    reached.length = 0;
    refused.clear();
    answer = null;
    server = new SMTPServer({
      ...{ authOptional: false, allowInsecureAuth: true, disableReverseLookup: true, logger: false },
      onAuth: ({ username, password }, _session, done) =>
        password === 'right' ? done(null, { user: username }) : done(new Error('wrong password')),
      onRcptTo: ({ address }, _session, done) =>
        done(refused.has(address) ? Object.assign(new Error(`no ${address}`), { responseCode: 550 }) : null),
      onData: (stream, { envelope }, done) => {
        let text = '';
        stream.on('data', (part: Buffer) => (text += part.toString()));
        stream.on('end', () => {
          if (text.includes('spam')) return done(Object.assign(new Error('spam'), { responseCode: 554 }));
          if (answer) return done(Object.assign(new Error(answer.text), { responseCode: answer.code }));
          mails.push(text);
          reached.push(envelope.rcptTo.map(({ address }) => address));
          return done();
        });
      },
    });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
  });
  afterEach(() => new Promise<void>((resolve) => void server.close(resolve)));

  const email = (changes: object = {}): ChannelSpec => ({
    ...{ type: 'email', name: 'x', host: '127.0.0.1', port: (server.server.address() as AddressInfo).port },
    ...{
      security: 'none',
      user: 'me',
      password: 'right',
      from: 'gateway@example.com',
      to: ['a@example.com', 'b@example.com'],
      recipient: 'a@example.com',
    },
    ...changes,
  });

  it('sends one mail for all that waits, with an id that is the same when it is repeated', async () => {
    const two = [message(1), message(2, 'deal 2 added')];
    expect(await deliver(email(), two)).toEqual({ kind: 'taken' });
    expect(await deliver(email(), two)).toEqual({ kind: 'taken' });
    expect(mails).toHaveLength(2);
    for (const mail of mails) {
      expect(mail).toMatch(/^Message-ID: <trade-1-1\.trade-1-2@trading-gateway>\r$/m);
      expect(mail).toMatch(/^To: a@example\.com, b@example\.com\r$/m);
      expect(mail).toMatch(/^Subject: 2 notifications of the trading gateway\r$/m);
      expect(mail).toContain('account 1: deal 2 added [trade-1-2]');
    }
    await deliver(email(), [message(3, 'trading is halted')]);
    expect(mails[2]).toMatch(/^Subject: trading is halted\r$/m);
  });

  it('ends when its time is over, although the server keeps sending, and closes the connection', async () => {
    const dripping = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 here\r\n');
      const drip = setInterval(() => socket.write('250-more\r\n'), 5);
      socket.on('close', () => clearInterval(drip));
      socket.once('data', () => controller.abort());
    });
    const controller = new AbortController();
    dripping.listen(0, '127.0.0.1');
    await once(dripping, 'listening');
    const channel = channelOf(email({ port: (dripping.address() as AddressInfo).port }), new VirtualClock());
    // Either the abort or the end of the socket is noticed first.
    const reason: unknown = expect.stringMatching(/^(no answer in time|ETIMEDOUT)$/);
    expect(await channel.deliver([message(1)], controller.signal)).toMatchObject({ reason });
    // Resolves once no connection is open.
    await new Promise((resolve) => dripping.close(resolve));
  });

  it('fails while the server refuses a recipient, and names no address', async () => {
    refused.add('b@example.com');
    // Another message would be refused as well: it waits until the address is corrected.
    expect(await deliver(email({ recipient: 'b@example.com' }), [message(1)])).toEqual({
      ...{ kind: 'failed', reason: 'SMTP 550', isRefused: false },
    });
    expect(await deliver(email(), [message(1)])).toEqual({ kind: 'taken' });
    expect(reached).toEqual([['a@example.com']]);
    // Each recipient is shown who else has it.
    for (const mail of mails) expect(mail).toMatch(/^To: a@example\.com, b@example\.com\r$/m);
  });

  it('fails with the code of the server, and without the password', async () => {
    answer = { code: 451, text: 'later' };
    expect(await deliver(email(), [message(1)])).toEqual({ kind: 'failed', reason: 'SMTP 451', isRefused: false });
    expect(await deliver(email({ password: 'not right' }), [message(1)])).toEqual({
      ...{ kind: 'failed', reason: 'SMTP 535', isRefused: false },
    });
    const unencrypted = await deliver(email({ security: 'starttls' }), [message(1)]);
    expect(unencrypted).toMatchObject({ kind: 'failed' });
    expect(mails).toEqual([]);
  });

  it.each([
    [554, 'spam', 'SMTP 554', true],
    [554, '5.6.0 malformed', 'SMTP 554 5.6.0', true],
    [550, '5.0.0 refused', 'SMTP 550 5.0.0', true],
    [552, '5.3.4 too big for this server', 'SMTP 552 5.3.4', true],
    [552, '5.2.3 too long for this mailbox', 'SMTP 552 5.2.3', true],
    [550, '5.1.1 unknown mailbox', 'SMTP 550 5.1.1', false],
    [552, '5.2.2 over quota', 'SMTP 552 5.2.2', false],
    [554, '5.3.2 not accepting mail', 'SMTP 554 5.3.2', false],
    [554, '5.4.6 routing loop', 'SMTP 554 5.4.6', false],
    [550, '5.7.1 this sender is not permitted', 'SMTP 550 5.7.1', false],
    [550, '5.7.1', 'SMTP 550 5.7.1', false],
    [452, '4.6.0 later', 'SMTP 452 4.6.0', false],
    [550, '10.5.6.1 is on a blocklist', 'SMTP 550', true],
  ])(
    'distinguishes a refusal of the content by the codes of the server: %i %s',
    async (code, text, reason, isRefused) => {
      answer = { code, text };
      expect(await deliver(email(), [message(1)])).toEqual({ kind: 'failed', reason, isRefused });
    },
  );

  it('sets a mail aside that the server refuses for good, and delivers the next one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mails-'));
    const clock = new VirtualClock(Date.parse('2026-01-09T10:00:00Z'));
    const store = new NotifierStore(lmdbStores, folder);
    const log = { warn: () => undefined, log: () => undefined };
    let attempts = 0;
    const count = (): void => void (attempts += 1);
    let begun = 0;
    const real = channelOf(email(), clock);
    const channel: Channel = {
      ...{ type: real.type, name: real.name, fitting: (messages) => real.fitting(messages) },
      deliver: (messages, signal) => {
        begun += 1;
        return real.deliver(messages, signal);
      },
    };
    const pump = new ChannelPump(channel, store, clock, log, { delivered: count, failed: count });
    await store.take([{ channel: 'x', messages: [message(1, 'spam'), message(2)] }]);
    pump.wake();
    // Both are refused together, then the first one twenty times by itself; the second one is then delivered.
    for (let attempt = 1; attempt <= 22; attempt++) {
      // In small steps, because an attempt that has begun ends after 15 seconds.
      for (let step = 0; step < 1_000 && begun < attempt; step++) {
        await clock.advance(1_000);
        await new Promise(setImmediate);
      }
      for (let turn = 0; turn < 1_000 && attempts < attempt; turn++) await new Promise((done) => setTimeout(done, 2));
    }
    expect(store.asideOf('x')).toMatchObject([{ message: { id: 'trade-1-1' }, reason: 'SMTP 554' }]);
    expect(mails.map((mail) => /^Message-ID: (.*)\r$/m.exec(mail)?.[1])).toEqual(['<trade-1-2@trading-gateway>']);
    await pump.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
