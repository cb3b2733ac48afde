import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings, type Fault } from '@libs/simulator';
import type { TerminalClient } from '@libs/terminal-client';
import { withCalls } from '../account-evidence/replaced-calls';
import { gatewayUnderTest, type GatewayUnderTest } from '../testing/gateway-under-test';
import type { Notification } from './notification';
import { HttpReceiver, type Answer } from './testing/http-receiver';

const broker = { SIM_HOURS: 'always', SIM_STATE_FILE: '', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };
const secret = 'whsec-test';
const token = '123456:bot-token';

/** A whole gateway with real receivers. Its clock is virtual, its sockets and files are real. */
describe('alerts of a gateway', () => {
  let clock: VirtualClock;
  let simulator: Simulator;
  let folder: string;
  let hook: HttpReceiver;
  let chat: HttpReceiver;
  let gateway: GatewayUnderTest;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'alerts-'));
    clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 0));
    simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, broker)), clock);
    await simulator.start();
    hook = await HttpReceiver.start();
    chat = await HttpReceiver.start();
  });
  afterEach(async () => {
    await gateway.stop();
    await simulator.stop();
    await Promise.all([hook.close(), chat.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (
    rules: string,
    terminal: TerminalClient = simulator.connect(),
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    writeFileSync(join(folder, 'secret'), secret);
    writeFileSync(join(folder, 'token'), `${token}\n`);
    const file = join(folder, 'alerts.yaml');
    const channels = `channels:
  ops: { type: webhook, url: '${hook.url}/alerts', secret_file: ${folder}/secret }
  phone: { type: telegram, chat_id: 42, url: '${chat.url}', token_file: ${folder}/token }
`;
    writeFileSync(file, `${channels}rules:\n${rules}`);
    const env = { ...broker, ...more, NOTIFIER_FILE: file };
    gateway = await gatewayUnderTest({ clock, terminal, folder, env });
    await pass(2);
  };
  /** Steps the clock a second at a time, and lets sockets and the disk do their part in between. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await pass(1);
  };
  const trade = async (url: string, payload: object): Promise<{ result: { order: number } }> => {
    const answer = gateway.call({ method: 'POST', url, payload });
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await until(() => isAnswered);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    return response.json();
  };
  const buy = () => trade('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
  const events = async (): Promise<number[]> =>
    (await gateway.call('/events?since=0&limit=1000')).json<{ data: { seq: number }[] }>().data.map(({ seq }) => seq);
  const seqs = (): number[] =>
    hook
      .messages<Notification>()
      .flatMap(({ type, data }) => (type === 'trade' ? [(data as { seq: number }).seq] : []));
  const texts = (type: string): string[] =>
    hook.messages<Notification>().flatMap((message) => (message.type === type ? [message.text] : []));
  const health = async () =>
    (await gateway.call('/health')).json<{
      status: string;
      notifications: Record<string, unknown>[];
      signals: Record<string, unknown>[];
    }>();
  const metric = async (line: string): Promise<string | undefined> =>
    (await gateway.call('/metrics')).body
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')[1];

  it('reports each alert of a source of signals that failed, and the source until another one ends well', async () => {
    const file = join(folder, 'signals.yaml');
    writeFileSync(join(folder, 'signal-secret'), 'a-secret-of-a-source-of-signals');
    writeFileSync(
      file,
      `sources: { trend: { secret_file: ${folder}/signal-secret, magic: 7, max_lots: 1, symbols: { EURUSD: EURUSD } } }`,
    );
    const rules = '  - { on: signals, channels: [ops] }\n  - { on: trades, channels: [ops], events: [signal] }\n';
    await start(rules, undefined, { SIGNALS_FILE: file });
    const deliver = async (payload: string): Promise<void> => {
      const url = '/signals/trend?secret=a-secret-of-a-source-of-signals';
      const answer = gateway.call({ method: 'POST', url, payload, headers: { 'content-type': 'text/plain' } });
      let isAnswered = false;
      void answer.then(() => (isAnswered = true));
      await until(() => isAnswered);
      expect((await answer).statusCode).toBe(202);
    };
    await deliver('buy EURUSD lots=2 id=1');
    const reason = '2 lots are more than max_lots, 1';
    await until(() => texts('trade').length === 1 && texts('signals').length === 1);
    expect(texts('trade')).toEqual([`signal 1 of trend refused: buy EURUSD lots=2 id=1: ${reason}`]);
    expect(texts('signals')[0]).toContain(`the signals of trend have a problem: EURUSD: alert 1 refused: ${reason}`);
    await deliver('buy EURUSD lots=0.1 id=2 before=short');
    await until(async () => (await metric('signals_gaps_total')) === '1');
    expect(await metric('signals_problem')).toBe('1');
    expect((await health()).signals).toMatchObject([
      { problem: 'EURUSD: the source was short before the alert, and the account was flat' },
    ]);
    await deliver('target EURUSD position=0.1 id=3');
    await until(() => texts('signals').some((text) => text.includes('the signals of trend have no problem')));
    expect(texts('trade')).toHaveLength(1);
    expect(await metric('signals_problem')).toBe('0');
  });

  it('posts each trade event once, in order, with a signature that the receiver can verify', async () => {
    await start('  - { on: trades, channels: [ops], actions: [opened, changed, closed, partially_closed, added] }\n');
    const { result } = await buy();
    // A position that opens and closes between two reads of the account is reported without its record.
    await until(() => texts('trade').some((text) => text.startsWith(`position ${result.order} opened`)));
    await trade('/modify_sl_tp', { position: result.order, sl: 0.5 });
    await trade('/close_position', { position: result.order });
    await until(() => texts('trade').some((text) => text.startsWith(`position ${result.order} closed`)));
    expect(seqs()).toEqual(await events());
    for (const { headers, body, path } of hook.taken) {
      expect(path).toBe('/alerts');
      const [, time = '', digest = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['webhook-signature'])) ?? [];
      expect(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')).toBe(digest);
    }
    expect(hook.messages<Notification>().at(-1)).toMatchObject({
      ...{ id: `trade-100001-${seqs().at(-1)}`, type: 'trade', account: 100001 },
      text: expect.stringMatching(/^position \d+ closed: BUY 0.1 EURUSD from [\d.]+, by deals \d+/),
    });
    expect(await health()).toMatchObject({
      notifications: [
        {
          name: 'ops',
          type: 'webhook',
          state: 'ok',
          waiting: 0,
          oldest_at: null,
          set_aside: 0,
          failures: 0,
          last_error: null,
        },
        { name: 'phone', state: 'ok' },
      ],
    });
    expect(await metric('notifications_delivered_total{channel="ops"}')).toBe(String(seqs().length));
    expect(await metric('notifications_set_aside{channel="ops"}')).toBe('0');
  });

  it.each<readonly [string, readonly Fault[]]>([
    ['shows no position', [{ kind: 'lists-not-loaded', shows: 'empty', lists: ['positions'] }]],
    ['shows no rows', [{ kind: 'lists-not-loaded', shows: 'empty' }]],
    ['shows its lists now and then', [{ kind: 'flickering-lists', shows: 'empty', every: 2 }]],
    ['has lost its server', [{ kind: 'server-lost', acts: true }]],
    [
      'shows rows that never were after a new session',
      [{ kind: 'passing-rows', ms: 10_000 }, { kind: 'disconnected' }],
    ],
    [
      'loads its lists after a new session',
      [{ kind: 'session-start', shows: 'parts', ms: 20_000 }, { kind: 'disconnected' }],
    ],
    [
      'has a history without deals on a clock set back',
      [
        { kind: 'history-lacks', what: 'all' },
        { kind: 'clock-offset', seconds: -18_000 },
      ],
    ],
    ['is late with its lists', [{ kind: 'late-lists', positionsMs: 20_000, ordersMs: 20_000, dealsMs: 20_000 }]],
  ])('report nothing as ended that is open while the terminal %s', async (_what, habits) => {
    await start('  - { on: trades, channels: [ops], actions: [opened, changed, closed, partially_closed, added] }\n');
    const { result } = await buy();
    const { result: resting } = await trade('/order', {
      ...{ symbol: 'EURUSD', type: 'BUY_LIMIT', price: 0.9, volume: 0.1 },
    });
    await until(() => texts('trade').some((text) => text.startsWith(`order ${resting.order} opened`)));
    for (const habit of habits) simulator.faults.set(habit);
    await pass(5);
    simulator.faults.clear('disconnected');
    await pass(40);
    simulator.faults.clear();
    await pass(10);
    const ended = (): string[] =>
      texts('trade').flatMap((text) => /^(position|order) \d+ (partially )?closed/.exec(text)?.[0] ?? []);
    // The market order has.
    expect(ended()).toEqual([`order ${result.order} closed`]);
    expect(simulator.direct().positionsGet()).toMatchObject([{ ticket: result.order }]);
    await gateway.call({ method: 'POST', url: '/account/accept', payload: {} });
    await trade('/close_position', { position: result.order });
    await until(() => ended().includes(`position ${result.order} closed`));
    expect(ended().filter((text) => text === `position ${result.order} closed`)).toHaveLength(1);
    expect(simulator.direct().ordersGet()).toMatchObject([{ ticket: resting.order }]);
    expect(ended()).not.toContain(`order ${resting.order} closed`);
  });

  it('keeps what a failing receiver does not take, over a restart, and trades meanwhile as before', async () => {
    await start('  - { on: trades, channels: [ops, phone] }\n');
    const failures: [() => Answer, string][] = [
      [() => ({ status: 503 }), 'HTTP 503'],
      [() => 'cut', 'UND_ERR_SOCKET'],
      [() => 'silence', 'no answer in time'],
      [() => ({ status: 302, headers: { location: chat.url } }), 'HTTP 302'],
    ];
    for (const [fail, reason] of failures) {
      hook.answerWith(fail);
      await buy();
      await until(async () => (await health()).notifications[0]?.['last_error'] === reason);
    }
    await hook.close();
    await buy();
    await until(async () => (await health()).notifications[0]?.['last_error'] === 'ECONNREFUSED');
    expect((await gateway.call('/health/ready')).statusCode).toBe(200);
    const oldest = Number(await metric('notification_oldest_age_seconds{channel="ops"}'));
    expect(oldest).toBeGreaterThan(5);
    expect(Number(await metric('notification_failures_total{channel="ops"}'))).toBeGreaterThanOrEqual(5);
    expect(await metric('notifications_waiting{channel="phone"}')).toBe('0');
    await gateway.stop();
    await hook.open();
    hook.answerWith(() => ({ status: 200 }));
    await start('  - { on: trades, channels: [ops, phone] }\n');
    await buy();
    await until(async () => seqs().length >= 18 && (await health()).notifications[0]?.['waiting'] === 0);
    expect(seqs()).toEqual(await events());
    const [first] = hook.messages<Notification>();
    expect(first?.at).toMatch(/^2026-01-07T10:00:\d\d/);
  });

  it('waits as long as a receiver asks for', async () => {
    await start('  - { on: halt, channels: [ops, phone] }\n');
    hook.answerWith(() => ({ status: 429, headers: { 'retry-after': '120' } }));
    chat.answerWith(() => ({ status: 429, body: '{"ok":false,"parameters":{"retry_after":60}}' }));
    await gateway.call({ method: 'POST', url: '/kill' });
    await until(() => hook.received.length === 1 && chat.received.length === 1);
    await pass(58);
    expect([hook.received.length, chat.received.length]).toEqual([1, 1]);
    chat.answerWith(() => ({ status: 200 }));
    hook.answerWith(() => ({ status: 200 }));
    await pass(6);
    expect([hook.received.length, chat.taken.length]).toEqual([1, 1]);
    await until(() => hook.taken.length === 1);
    expect(clock.nowMs() - Date.UTC(2026, 0, 7, 10, 0)).toBeGreaterThan(120_000);
  });

  it('reports a halt and its end as one line by Telegram, and not again after a restart', async () => {
    const rule = '  - { on: halt, channels: [phone] }\n';
    await start(rule);
    await gateway.call({ method: 'POST', url: '/kill' });
    await until(() => chat.taken.length === 1);
    // A message that is still in the queue at a stop is delivered again.
    await until(async () => (await health()).notifications.every(({ waiting }) => waiting === 0));
    await gateway.stop();
    await start(rule);
    await pass(30);
    await gateway.call({ method: 'POST', url: '/kill/release' });
    await until(() => chat.taken.length === 2);
    expect(chat.taken.map(({ path }) => path)).toEqual(Array.from({ length: 2 }, () => `/bot${token}/sendMessage`));
    const sent = chat.taken.map(({ body }) => JSON.parse(body) as { chat_id: string; text: string });
    expect(sent[0]).toMatchObject({
      chat_id: '42',
      text: expect.stringMatching(
        /^2026-\S+Z account 100001: trading is halted: the kill switch is active, since 2026-/,
      ),
    });
    expect(sent[1]?.text).toContain('trading is not halted');
  });

  it('reports a terminal that is gone for long, and that it is back; a short outage is not worth a message', async () => {
    await start('  - { on: terminal, channels: [ops], for_seconds: 60 }\n');
    const status = async () => (await gateway.call('/health')).json<{ terminal_status: string }>().terminal_status;
    simulator.faults.set({ kind: 'disconnected' });
    await until(async () => (await status()) !== 'connected');
    simulator.faults.clear();
    await until(async () => (await status()) === 'connected');
    await pass(70);
    expect(hook.taken).toEqual([]);
    simulator.faults.set({ kind: 'disconnected' });
    await until(() => texts('terminal').length === 1);
    simulator.faults.clear();
    await until(() => texts('terminal').length === 2);
    expect(texts('terminal')).toEqual([
      expect.stringMatching(
        /^(the session with the terminal was lost|there is no session with the terminal)\b.+ \(.+, -\d+\).+, since 2026/,
      ),
      expect.stringMatching(/^the terminal is connected, since 2026/),
    ]);
  });

  it.each([
    [true, /^the outcome of lost-1 is settled: it was executed/],
    [false, /^the outcome of lost-1 is settled: it was not executed/],
  ])(
    'reports a request whose outcome is unknown, by its key, and whether it was executed (%s)',
    async (acts, settled) => {
      await start('  - { on: unknown_outcome, channels: [ops], for_seconds: 0 }\n');
      simulator.faults.set({ kind: 'retcode', retcode: 10_012, acts, times: 1 });
      // Nothing is found before it was reported.
      simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
      const payload = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 };
      void gateway.call({ method: 'POST', url: '/order', payload, headers: { 'idempotency-key': 'lost-1' } });
      await until(() => texts('unknown_outcome').length === 1);
      simulator.faults.clear();
      await until(() => texts('unknown_outcome').length === 2);
      expect(texts('unknown_outcome')).toEqual([
        expect.stringMatching(/^the outcome of lost-1 \(POST \/order\) is unknown: do not send it under another key/),
        expect.stringMatching(settled),
      ]);
    },
  );

  it('reports that the audit log cannot be written, and that it can again', async () => {
    await start('  - { on: storage, channels: [ops], for_seconds: 0 }\n');
    const log = join(folder, 'order-audit.jsonl');
    renameSync(log, `${log}.1`);
    mkdirSync(log);
    await until(() => texts('storage').length === 1);
    rmSync(log, { recursive: true });
    renameSync(`${log}.1`, log);
    await until(() => texts('storage').length === 2);
    expect(texts('storage')).toEqual([
      expect.stringMatching(/^new trades are refused: .*audit log.*, since 2026/),
      expect.stringMatching(/^the trade journal, the audit log and the kill-switch file can be written, since 2026/),
    ]);
  });

  it('reports a drawdown of the day and from the peak', async () => {
    await start(`  - { on: drawdown, channels: [ops], percent: 0.05, for_seconds: 0 }
  - { on: drawdown, channels: [ops], from: peak, percent: 0.05, for_seconds: 0 }
`);
    await buy();
    await until(() => texts('drawdown').length === 2);
    const levels = texts('drawdown').sort();
    expect(levels[0]).toMatch(
      /^drawdown of 0\.\d\d% from the peak: equity \d+\.\d\d, at the peak 10000\.00; limit 0.05%/,
    );
    expect(levels[1]).toMatch(/from the start of the broker's day: equity \d+\.\d\d, then 10000\.00; limit 0.05%/);
  });

  it('sends the report of the day at its time of the broker, once', async () => {
    await start("  - { on: daily_report, channels: [ops], at: '12:02' }\n");
    await buy();
    await pass(60);
    expect(hook.taken).toEqual([]);
    await until(() => hook.taken.length === 1);
    await pass(100);
    const [report, ...more] = hook.messages<Notification>();
    expect(more).toEqual([]);
    expect(report).toMatchObject({
      ...{ id: 'daily-report-100001-2026-01-07-722', type: 'daily_report', account: 100001 },
      ...{ at: expect.stringMatching(/^2026-01-07T10:02:0\d/) },
      text: expect.stringMatching(
        /^broker's day 2026-01-07 until 12:02 broker time: result -?\d+\.\d\d USD, closed and floating, balance 10000.00, equity \d+\.\d\d, 1 open position$/,
      ),
      data: { positions: 1, currency: 'USD', broker_day: '2026-01-07' },
    });
  });

  it('reports no drawdown and no day of an account whose money nothing explains', async () => {
    let shown: object = {};
    const session = simulator.connect();
    const accountInfo = async () => {
      const account = await session.accountInfo();
      return account && { ...account, ...shown };
    };
    const rules = `  - { on: drawdown, channels: [ops], from: peak, percent: 50, for_seconds: 0 }
  - { on: daily_report, channels: [ops], at: '12:02' }
`;
    await start(rules, withCalls(session, { accountInfo }));
    await pass(20);
    shown = { balance: 0, equity: 0 };
    await pass(180);
    expect(hook.taken).toEqual([]);
    shown = {};
    await until(() => hook.taken.length > 0);
    expect(hook.messages<Notification>()).toMatchObject([{ type: 'daily_report', data: { balance: 10_000 } }]);
  });

  it('refuses to start with a bad file', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'channels: {}\n');
    const bad = gatewayUnderTest({
      clock,
      terminal: simulator.connect(),
      folder: join(folder, 'other'),
      env: { NOTIFIER_FILE: join(folder, 'bad.yaml') },
    });
    await expect(bad).rejects.toThrow(/channels must name at least one channel\n {2}rules must have at least one rule/);
    await start('  - { on: halt, channels: [ops] }\n');
  });
});
