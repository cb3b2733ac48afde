import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { SystemClock } from '@libs/clock';
import { signature } from '../../apps/gateway/src/notifier/channels/signature';
import { WebhookChannel } from '../../apps/gateway/src/notifier/channels/webhook.channel';
import { readNotifierFile } from '../../apps/gateway/src/notifier/read-notifier-file';
import { HttpReceiver, type Received } from '../../apps/gateway/src/notifier/testing/http-receiver';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith } from './programs/needs';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';
import { waitUntil } from './programs/waits';

const page = readFileSync(join(repository, 'docs/alerts.md'), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? `no ${language}`;
const env = {
  ALERTS_WEBHOOK_SECRET: 'whsec-e2e',
  ALERTS_TELEGRAM_TOKEN: '123:token-e2e',
  ALERTS_DISCORD_URL: 'https://discord.example/api/webhooks/1/e2e',
  ALERTS_SMTP_PASSWORD: 'password-e2e',
};

describe('alerts of the built gateway', () => {
  const scratch = new Scratch();
  let receiver: HttpReceiver;
  beforeEach(async () => (receiver = await HttpReceiver.start()));
  afterEach(async () => {
    await scratch.clear();
    await receiver.close();
  });

  const ids = (requests: readonly Received[]): string[] =>
    requests.flatMap(({ body }) => (JSON.parse(body) as { messages: { id: string }[] }).messages.map(({ id }) => id));

  it('docs/alerts.md: its file is valid with the variables that it names', () => {
    const file = join(scratch.folder(), 'alerts.yaml');
    writeFileSync(file, block('yaml'));
    const { channels, rules } = readNotifierFile(file, env);
    expect(channels.map(({ type }) => type)).toEqual(['webhook', 'telegram', 'discord', 'email']);
    expect(rules).toHaveLength(10);
  });

  it('arrive over a kill -9 while the receiver has them: again under the same ids, in order, none missing', async () => {
    const home = scratch.folder();
    const file = join(home, 'alerts.yaml');
    const channel = `ops: { type: webhook, url: '${receiver.url}/', secret_env: ALERTS_WEBHOOK_SECRET }`;
    const rule = '{ on: trades, channels: [ops], actions: [opened, changed, closed, added] }';
    writeFileSync(file, `channels:\n  ${channel}\nrules:\n  - ${rule}\n`);
    const state = {
      STATE_DIR: join(home, 'state'),
      ORDER_AUDIT_FILE: join(home, 'audit.jsonl'),
      SIM_STATE_FILE: join(home, 'broker.json'),
    };
    const settings = { ...env, ...state, NOTIFIER_FILE: file, SIM_HOURS: 'always' };
    receiver.answerWith(() => 'silence');
    const first = await GatewayProgram.startReady(scratch, settings);
    await first.trade('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
    await waitUntil(
      'the first attempt',
      async () => receiver.received.length,
      (count) => count > 0,
    );
    await first.trade('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
    await first.kill();
    const before = ids(receiver.received);
    receiver.answerWith(() => ({ status: 200 }));
    const second = await GatewayProgram.startReady(scratch, settings);
    await second.trade('/order', { symbol: 'EURUSD', type: 'SELL', volume: 0.1 });
    const { body } = await second.until('/events?limit=1000', ({ body: { data } }) => (data as unknown[]).length >= 9);
    const all = (body['data'] as { seq: number }[]).map(({ seq }) => `trade-100001-${seq}`);
    await waitUntil(
      'all messages',
      async () => ids(receiver.taken).length,
      (count) => count >= all.length,
    );
    expect(before.length).toBeGreaterThan(0);
    expect(ids(receiver.taken)).toEqual(all);
    expect(all.slice(0, before.length)).toEqual(before);
    expect([...first.logs, ...second.logs].join('\n')).not.toContain(env.ALERTS_WEBHOOK_SECRET);
  });
});

interface Verifier {
  readonly command: string;
  readonly file: string;
  readonly code: () => string;
}

const verifiers: [string, Verifier][] = [
  [
    'python',
    {
      ...{ command: 'python3', file: 'verify.py' },
      code: () =>
        `${block('python')}\nimport sys\nprint(messages_of(sys.argv[1], sys.argv[2], sys.argv[3].encode())[0]["id"])\n`,
    },
  ],
  [
    'ts',
    {
      ...{ command: process.execPath, file: 'verify.mjs' },
      code: () => `${transformSync(block('ts'), { loader: 'ts' }).code}
const [, , secret, header, body] = process.argv;
console.log(messagesOf(secret, header, Buffer.from(body))[0].id);`,
    },
  ],
];

describeWith('python3')('docs/alerts.md: the signature of a webhook', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it.each(verifiers)('is verified by the %s of the page, and not with another secret or body', async (_, verifier) => {
    const receiver = await HttpReceiver.start();
    const spec = { type: 'webhook', name: 'ops', url: receiver.url, secret: env.ALERTS_WEBHOOK_SECRET } as const;
    const message = {
      id: 'trade-1-1',
      type: 'trade',
      state: null,
      at: '',
      account: 1,
      text: 'EURUSD é',
      data: null,
    } as const;
    await new WebhookChannel(spec, new SystemClock()).deliver([message], new AbortController().signal);
    await receiver.close();
    const [request] = receiver.taken;
    if (!request) throw new Error('nothing was received');
    const script = join(scratch.folder(), verifier.file);
    writeFileSync(script, verifier.code());
    const header = String(request.headers['webhook-signature']);
    const run = (secret: string, body: string, signature = header) =>
      spawnSync(verifier.command, [script, secret, signature, body], { encoding: 'utf8', env: bareEnvironment() });
    expect(run(spec.secret, request.body)).toMatchObject({ status: 0, stdout: 'trade-1-1\n' });
    expect(run('another', request.body).stderr).toContain('the signature is wrong');
    expect(run(spec.secret, `${request.body} `).stderr).toContain('the signature is wrong');
    const old = signature(spec.secret, 1_700_000_000, request.body);
    expect(run(spec.secret, request.body, old).stderr).toContain('the request is too old');
  });
});
