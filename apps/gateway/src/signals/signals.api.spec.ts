import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { effort } from '../../../../test/setup/effort';
import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { SimulatedDisk } from '@libs/simulated-disk';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { OrderType, TradeAction, type JournaledRequest, type SendOutcome } from '@libs/terminal-client';
import { withCalls } from '../account-evidence/replaced-calls';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { alertFields } from './alert-fields';
import { SIGNALS, type Signals } from './signals';
import { TradingGateway, type Json } from '../trade-journal/testing/trading-gateway';

const secret = 'a-secret-of-32-letters-in-a-file';
/** No key of the API. */
const asWebhook = { authorization: 'Bearer nothing', 'content-type': 'text/plain' };

interface EventsPage {
  readonly data: readonly {
    readonly event: string;
    readonly action: string;
    readonly signal?: { readonly alert: string };
  }[];
  readonly last_seq: number;
  readonly next_since: number;
}

/** The file of one source, with these members besides the usual ones. */
function signalsFile(folder: string, members: readonly string[]): string {
  writeFileSync(join(folder, 'secret'), secret);
  const file = join(folder, 'signals.yaml');
  const usual = [
    `secret_file: ${join(folder, 'secret')}`,
    'magic: 7001',
    'max_lots: 5',
    'max_open_lots: 5000',
    'max_per_minute: 100000',
    'symbols: {"OANDA:EURUSD": EURUSD, EURUSD: EURUSD, GBPUSD: GBPUSD, USDJPY: USDJPY, NONE: NONE}',
  ];
  const named = (member: string): string => member.slice(0, member.indexOf(':'));
  const all = [...usual.filter((one) => !members.some((member) => named(member) === named(one))), ...members];
  writeFileSync(file, `sources:\n  trend:\n${all.map((member) => `    ${member}\n`).join('')}`);
  return file;
}

describe('the alerts of a source', () => {
  let folder: string;
  let gateway: TradingGateway;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'signals-'))));
  afterEach(async () => {
    await gateway.stop();
    removeFolder(folder);
  });

  const start = async (members: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<void> => {
    gateway = await TradingGateway.start({
      ...{ SIGNALS_FILE: signalsFile(folder, members), SIM_STATE_FILE: join(folder, 'simulator.json') },
      ...more,
    });
  };
  const deliver = (
    alert: string | object,
    headers: Readonly<Record<string, string>> = {},
    url = `/signals/trend?secret=${secret}`,
  ) =>
    gateway.send('POST', url, alert, {
      ...asWebhook,
      ...(typeof alert === 'string' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
  const signals = (): Promise<Json[]> => gateway.rows('/signals?limit=1000');
  const ended = (): Promise<void> =>
    gateway.until(async () => (await signals()).every(({ ended_at }) => ended_at !== null), 500);
  const positions = async (): Promise<Json[]> => gateway.rows('/get_positions');
  const problem = async (): Promise<unknown> => {
    const { body } = await gateway.get<{ readonly signals: readonly Json[] }>('/health');
    return body.signals[0]?.['problem'];
  };

  it('are taken with the secret in the path, in the query or in the alert, and in no other way', async () => {
    await start();
    const unauthorized = { status: 401, body: { error_type: 'authentication_error' } };
    expect(await deliver('buy EURUSD lots=0.1 id=1', {}, '/signals/trend')).toMatchObject(unauthorized);
    expect(await deliver('buy EURUSD lots=0.1 id=1', {}, '/signals/trend?secret=wrong')).toMatchObject(unauthorized);
    expect(await deliver('buy EURUSD lots=0.1 id=1', {}, `/signals/other?secret=${secret}`)).toMatchObject(
      unauthorized,
    );
    expect(await deliver('broken', {}, '/signals/trend')).toMatchObject(unauthorized);
    const accepted = { status: 202, body: { ok: true, source: 'trend', repeated: false, state: 'accepted' } };
    expect(await deliver('buy EURUSD lots=0.1 id=1')).toMatchObject(accepted);
    expect(await deliver('buy EURUSD lots=0.1 id=2', {}, `/signals/trend?secret=${secret}`)).toMatchObject(accepted);
    const json = { action: 'buy', symbol: 'OANDA:EURUSD', lots: '0.1', id: 3, secret };
    expect(await deliver(json, {}, '/signals/trend')).toMatchObject(accepted);
    expect(await deliver('close GBPUSD id=4', { authorization: `Bearer ${secret}` }, '/signals/trend')).toMatchObject(
      accepted,
    );
    await ended();
    expect(await positions()).toMatchObject([1, 2, 3].map(() => ({ symbol: 'EURUSD', magic: 7001, volume: 0.1 })));
    const listed = await gateway.get('/signals');
    expect(listed.text).not.toContain(secret);
    expect(listed.body).toMatchObject({
      data: [
        { number: 4, state: 'nothing_to_do' },
        { number: 3, alert: 'buy OANDA:EURUSD lots=0.1 id=3', symbol: 'EURUSD', state: 'done', reason: null },
        {
          number: 2,
          requests: [{ request: 'BUY 0.1 EURUSD', state: 'done', key: expect.stringMatching(/^signal-.*-1$/) }],
        },
        { number: 1 },
      ],
    });
    expect(await gateway.rows('/signals?after=1&source=trend&state=done')).toHaveLength(2);
    expect(await gateway.metric('signals_received_total')).toBe(7);
    // Counted once it is on disk, where the list has it from.
    await gateway.until(async () => (await gateway.metric('signals_ended_total')) === 4, 0);
    expect(JSON.stringify(gateway.audit())).not.toContain(secret);
  });

  it.each([
    ['the positions', { positionsMs: 4_000 }],
    ['all lists', { positionsMs: 4_000, ordersMs: 4_000, dealsMs: 4_000, historyOrdersMs: 4_000 }],
  ])('see the effect of the alerts before them, although %s lag', async (_, late) => {
    await start();
    gateway.simulator.faults.set({ kind: 'late-lists', ...late });
    await gateway.clock.advance(5_000);
    for (const [index, position] of [0.3, 0.3, 0.1, 0.1, -0.2, -0.2].entries()) {
      const alert = { action: 'target', symbol: 'EURUSD', position, id: index };
      expect(await deliver(alert)).toMatchObject({ status: 202 });
    }
    await gateway.until(async () => (await signals()).every(({ ended_at }) => ended_at !== null), 500);
    gateway.simulator.faults.clear('late-lists');
    await gateway.clock.advance(1_000);
    expect(await positions()).toMatchObject([{ type_str: 'SELL', volume: 0.2 }]);
    const deals = await gateway.rows('/history_deals_get?from_date=2026-01-07T00:00:00Z');
    const trades = deals.filter(({ symbol }) => symbol === 'EURUSD');
    expect(trades.map(({ type, volume }) => [type, volume])).toEqual([
      [0, 0.3],
      [1, 0.2],
      [1, 0.1],
      [1, 0.2],
    ]);
  });

  it('are not told from an unknown source with a wrong secret, and an address has few tries a minute', async () => {
    await start();
    const wrong = async (name: string) => {
      const { status, body, headers } = await deliver('close EURUSD id=1', {}, `/signals/${name}?secret=guess`);
      return { status, error: body['error'], wait: headers['retry-after'] };
    };
    const answers = [];
    for (let turn = 0; turn < 6; turn++) answers.push(await wrong('trend'), await wrong('other'));
    expect(new Set(answers.slice(0, 10).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401 });
    expect(answers.slice(10)).toMatchObject([{ status: 429, wait: '60' }, { status: 429 }]);
    // A front may give every sender one address: the right secret is taken all the same.
    expect(await deliver('close EURUSD id=1')).toMatchObject({ status: 202 });
    await gateway.clock.advance(60_000);
    expect(await wrong('other')).toMatchObject({ status: 401 });
  });

  it('are refused with the reason if their form, their sender or their number is wrong', async () => {
    await start([
      'senders: [203.0.113.0/24]',
      'proxies: [127.0.0.1]',
      'max_per_minute: 5',
      'verbs: [buy]',
      'repeat_seconds: 0',
    ]);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const good = from('198.51.100.7, 203.0.113.9');
    expect(await deliver('buy EURUSD lots=0.1 id=1', from('203.0.113.9, 198.51.100.7'))).toMatchObject({ status: 403 });
    expect(await deliver('buy EURUSD lots=0.1 id=1')).toMatchObject({ status: 403 });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await deliver('x', { ...good, ...form })).toMatchObject({
      ...{ status: 415, body: { error: expect.stringContaining('send the alert as text/plain or application/json') } },
    });
    expect(await deliver('x'.repeat(9_000), good)).toMatchObject({ status: 413 });
    expect(await deliver('x'.repeat(70_000), good)).toMatchObject({ status: 413 });
    expect(await deliver('buy EURUSD lots=0,1 id=1', good)).toMatchObject({
      status: 400,
      body: { error_type: 'validation_error', error: 'lots: at column 12: "0,1" must be a number' },
    });
    expect(await deliver('', good)).toMatchObject({ status: 400 });
    expect(await deliver('close EURUSD id=2', good)).toMatchObject({
      body: { error: 'action: close is not permitted for this source' },
    });
    expect(await deliver('buy GOLD lots=1 id=3', good)).toMatchObject({
      body: { error: 'symbol: "GOLD" is not in the symbols of this source' },
    });
    await gateway.clock.advance(20_000);
    expect(await deliver('buy EURUSD lots=1', good)).toMatchObject({ status: 400 });
    // Until the oldest of the five is a minute old.
    expect(await deliver('buy EURUSD lots=1 id=4', good)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '40' },
    });
    expect(await signals()).toMatchObject([1, 2, 3, 4, 5].map(() => ({ state: 'refused', requests: [] })));
    expect(await gateway.send('POST', '/order', 'x', { 'content-type': 'application/x-alert' })).toMatchObject({
      status: 415,
    });
    expect(await gateway.send('POST', '/order', 'x', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await positions()).toEqual([]);
  });

  it('that were refused when they came are a problem of the source until a later one ends well', async () => {
    await start(['max_per_minute: 7', 'senders: [127.0.0.1, 203.0.113.9]', 'proxies: [127.0.0.1]']);
    const received = (answer: string): Promise<number> =>
      gateway.metric(`signals_received_total{source="trend",answer="${answer}"}`);
    expect(await deliver('close EURUSD id=1', {}, '/signals/trend?secret=wrong')).toMatchObject({ status: 401 });
    // Anyone can send it.
    expect(await problem()).toBeNull();
    await deliver('by EURUSD lots=0.1 id=1');
    expect(await problem()).toMatch(/^EURUSD: alert 1 refused: action: at column 1: "by" must be one of/);
    await gateway.restart();
    expect(await problem()).toContain('alert 1 refused');
    await deliver('close EURUSD id=2');
    await ended();
    expect(await problem()).toBeNull();
    await deliver('close EUR id=2');
    expect(await problem()).toMatch(/^EUR: alert 3 refused: symbol: "EUR" is not in/);
    await deliver('close GBPUSD id=2');
    await ended();
    expect(await problem()).toBeNull();
    await deliver('close EURUSD lots=0.1 id=3');
    expect(await problem()).toBe(
      'EURUSD: alert 5 refused: lots: at column 14: close has no such field; close has action, symbol, id, time, seq, before, secret',
    );
    await deliver('close GBPUSD id=4');
    await ended();
    expect(await problem()).toContain('EURUSD: alert 5 refused');
    await deliver('close EURUSD id=5');
    await ended();
    expect(await problem()).toBeNull();

    expect(await deliver('buy EURUSD lots=0.1 id=5')).toMatchObject({ status: 409 });
    expect(await problem()).toBe('an alert was refused: id "5" was used by another alert: "close EURUSD id=5"');
    expect(await deliver('close EURUSD id=6')).toMatchObject({ status: 429 });
    expect(await problem()).toBe('an alert was refused: more than 7 alerts in a minute; nothing was stored');
    await gateway.clock.advance(60_000);
    await deliver('close EURUSD id=7');
    await ended();
    expect(await problem()).toBeNull();
    const away = { 'x-forwarded-for': '198.51.100.7' };
    expect(await deliver('close EURUSD id=8', away)).toMatchObject({ status: 403 });
    expect(await problem()).toBe('an alert was refused: "198.51.100.7" is not in the senders of the source');
    await gateway.restart();
    expect(await problem()).toContain('198.51.100.7');
    expect([await received('conflict'), await received('wrong_sender')]).toEqual([0, 0]);
    await deliver('close EURUSD id=8', away);
    await deliver('buy EURUSD lots=0.1 id=5');
    expect([await received('conflict'), await received('wrong_sender')]).toEqual([1, 1]);
  });

  it('are refused if they name their account in a header, where it would be ignored', async () => {
    await start();
    const { status, body } = await deliver('buy EURUSD lots=0.1 id=1', { 'x-expect-login': '999' });
    expect([status, body]).toMatchObject([400, { details: [{ field: 'X-Expect-Login' }] }]);
    expect(await signals()).toEqual([]);
  });

  it('are one alert for all deliveries, also after a restart, and another alert cannot take its id', async () => {
    await start();
    const alert = 'buy EURUSD lots=0.1 id=1';
    const both = await Promise.all([deliver(alert), deliver(alert)]);
    expect(both.map(({ body }) => body['repeated'])).toEqual([false, true]);
    await ended();
    expect(await deliver(alert)).toMatchObject({ status: 202, body: { repeated: true, state: 'done', number: 1 } });
    await gateway.restart();
    expect(await deliver(alert)).toMatchObject({ status: 202, body: { repeated: true, state: 'done' } });
    expect(await deliver('buy EURUSD lots=0.2 id=1')).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict' },
    });
    expect(await positions()).toHaveLength(1);
  });

  it('are in the event log with what became of each, once and in order, also over restarts', async () => {
    await start();
    const logged = async (): Promise<string[]> =>
      (await gateway.rows('/events?since=0&limit=1000'))
        .filter(({ event }) => event === 'signal')
        .map(({ action, signal }) => `${String(action)} ${JSON.stringify(signal).slice(0, 12)}`);
    await deliver('buy EURUSD lots=0.1 id=1');
    await deliver('buy EURUSD lots=0,1 id=2');
    await ended();
    // The log is written after the state is on disk.
    await gateway.until(async () => (await logged()).length >= 3);
    const before = ['accepted {"number":1,', 'refused {"number":2,', 'done {"number":1,'];
    expect((await logged()).sort()).toEqual([...before].sort());
    await deliver('close GBPUSD id=3');
    await gateway.restart();
    await ended();
    await gateway.until(async () => (await logged()).length >= 5);
    await gateway.restart();
    await gateway.agedBy(3_000);
    const events = await gateway.rows('/events?since=0&limit=1000');
    expect((await logged()).slice(3)).toEqual(['accepted {"number":3,', 'nothing_to_do {"number":3,']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => Number(events[0]?.['seq']) + index));
    expect(events.find(({ action }) => action === 'done')).toMatchObject({
      ...{ symbol: 'EURUSD', magic: 7001, login: 100001 },
      signal: { source: 'trend', alert: 'buy EURUSD lots=0.1 id=1', requests: [{ order: expect.any(Number) }] },
    });
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it('without an id are repeated deliveries for the declared time only', async () => {
    await start();
    const alert = 'buy EURUSD sl=50 risk=1';
    expect(await deliver(alert)).toMatchObject({ status: 202, body: { repeated: false } });
    await ended();
    await gateway.agedBy(30_000);
    expect(await deliver(alert)).toMatchObject({ body: { repeated: true, state: 'done' } });
    await gateway.agedBy(14_000);
    expect(await deliver(alert)).toMatchObject({ body: { repeated: false } });
    await ended();
    expect(await positions()).toHaveLength(2);
  });

  it('are refused if they are old, or come after a later one, and a lost one is a problem until the position is right', async () => {
    await start(['sequence: number', 'max_age_seconds: 20']);
    const at = (ageMs: number): string => new Date(gateway.clock.nowMs() - ageMs).toISOString();
    expect(await deliver(`buy EURUSD lots=0.1 seq=1 time=${at(30_000)}`)).toMatchObject({
      status: 400,
      body: { error: 'time: the alert is 30 s old; buy of this source may be 20 s old' },
    });
    expect(await deliver(`buy EURUSD lots=0.1 seq=1 time=${at(-90_000)}`)).toMatchObject({ status: 400 });
    expect(await deliver(`buy EURUSD lots=0.1 seq=2 time=${at(5_000)}`)).toMatchObject({ status: 202 });
    expect(await deliver('sell EURUSD lots=0.1 seq=1')).toMatchObject({
      status: 400,
      body: { error: 'seq: came after 2, which is later in the order of the source' },
    });
    expect(await problem()).toBe(
      'EURUSD: alert 4 refused: seq: came after 2, which is later in the order of the source',
    );
    expect(await deliver('buy EURUSD lots=0.1 seq=5')).toMatchObject({ status: 202 });
    await ended();
    expect(await problem()).toBe('EURUSD: 2 alerts before number 5 did not come');
    await gateway.restart();
    expect(await problem()).toBe('EURUSD: 2 alerts before number 5 did not come');
    await deliver('target EURUSD position=0.3 seq=6 before=short');
    await ended();
    expect(await signals()).toMatchObject([
      { state: 'done', gap: 'EURUSD: the source was short before the alert, and the account was long' },
      ...[{ number: 5 }, { number: 4 }, { number: 3 }, { number: 2 }, { number: 1 }],
    ]);
    expect(await problem()).toBeNull();
    expect((await positions()).reduce((sum, { volume }) => sum + Number(volume), 0)).toBeCloseTo(0.3);
  });

  it('close, reverse, protect and cancel only what has the magic number of the source', async () => {
    await start(['size: {risk: 1}']);
    await gateway.buy({ magic: 5 });
    await gateway.buy({ symbol: 'GBPUSD', magic: 7001 });
    const run = async (alert: string): Promise<Json | undefined> => {
      expect(await deliver(alert)).toMatchObject({ status: 202 });
      await ended();
      return (await signals())[0];
    };
    const own = async (): Promise<Json[]> =>
      (await positions()).filter(({ magic, symbol }) => magic === 7001 && symbol === 'EURUSD');
    expect(await run('buy EURUSD sl=2atr tp=500 id=1')).toMatchObject({ state: 'done' });
    const [bought] = await own();
    const loss = (Number(bought?.['price_open']) - Number(bought?.['sl'])) * Number(bought?.['volume']) * 100_000;
    expect(loss).toBeGreaterThan(80);
    expect(loss).toBeLessThanOrEqual(101);
    expect(await run('protect EURUSD sl=300 id=2')).toMatchObject({ state: 'done' });
    expect((await own())[0]?.['sl']).toBeCloseTo(Number(bought?.['price_open']) - 0.003, 5);
    expect(await run('reverse EURUSD id=3')).toMatchObject({
      state: 'done',
      requests: [{}, { order: expect.any(Number) }],
    });
    expect(await own()).toMatchObject([{ type: 1, volume: bought?.['volume'] }]);
    const { bid } = await gateway.quote();
    expect(await run(`sell EURUSD lots=0.1 limit=${(bid + 0.01).toFixed(5)} id=4`)).toMatchObject({ state: 'placed' });
    expect(await run('cancel EURUSD id=5')).toMatchObject({ state: 'done', requests: [{ state: 'done' }] });
    expect(await gateway.rows('/orders')).toEqual([]);
    expect(await run('target EURUSD position=0 id=6')).toMatchObject({ state: 'done' });
    expect(await run('close EURUSD id=7')).toMatchObject({ state: 'nothing_to_do' });
    expect(await run('buy NONE lots=0.1 id=8')).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('not_found'),
    });
    expect(await positions()).toMatchObject([{ magic: 5 }, { symbol: 'GBPUSD' }]);
  });

  it('close what was opened since the last look, although no list shows it yet', async () => {
    await start();
    await gateway.clock.advance(3_000);
    gateway.simulator.faults.set({ kind: 'late-lists', positionsMs: 4_000, sums: true });
    const deal = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY, magic: 7001 };
    await gateway.byHand(deal);
    await deliver('close EURUSD id=1');
    await ended();
    expect(await signals()).toMatchObject([{ state: 'done', requests: [{ state: 'done' }] }]);
    gateway.simulator.faults.clear();
    await gateway.until(async () => (await gateway.get('/get_positions')).status === 200);
    expect(await positions()).toEqual([]);
  });

  it('have the outcome unknown while it is, and are never sent again', async () => {
    await start();
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await deliver('buy EURUSD lots=0.1 id=1');
    await gateway.until(async () => (await signals())[0]?.['state'] === 'unknown', 20);
    expect(await gateway.get('/health')).toMatchObject({ body: { signals: [{ waiting: 1, unknown: 1 }] } });
    await gateway.restart();
    await deliver('buy EURUSD lots=0.2 id=2');
    await ended();
    expect(await signals()).toMatchObject([{ state: 'done' }, { state: 'done', requests: [{ state: 'done' }] }]);
    expect(await positions()).toMatchObject([{ volume: 0.1 }, { volume: 0.2 }]);
  });

  it('keep an unknown outcome unknown while their key is refused, and do not call it refused', async () => {
    await start();
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    await deliver('buy EURUSD lots=0.1 id=1');
    await gateway.until(async () => (await signals())[0]?.['state'] === 'unknown', 20);
    signalsFile(folder, ['login: 999']);
    await gateway.restart();
    await gateway.until(async () => String((await signals())[0]?.['reason']).includes('account_mismatch'), 20);
    expect(await signals()).toMatchObject([{ state: 'unknown', ended_at: null, requests: [{ state: 'unknown' }] }]);
    signalsFile(folder, []);
    await gateway.restart();
    await ended();
    expect(await signals()).toMatchObject([{ state: 'done' }]);
    expect(await positions()).toMatchObject([{ volume: 0.1 }]);
  });

  it('wait for the terminal as long as they may, and entries that waited longer are not executed', async () => {
    await start(['max_age_seconds: 20']);
    const ticket = await gateway.buy({ magic: 7001 });
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await deliver('buy EURUSD lots=0.1 id=1')).toMatchObject({ status: 202, body: { state: 'accepted' } });
    expect(await deliver('close EURUSD id=2')).toMatchObject({ status: 202 });
    expect(await deliver('buy GBPUSD lots=0.1 id=3')).toMatchObject({ status: 202 });
    await gateway.agedBy(30_000);
    gateway.simulator.faults.clear();
    await ended();
    expect(await signals()).toMatchObject([
      { state: 'expired', reason: expect.stringContaining('_') },
      { state: 'done', requests: [{ request: `close 0.1 lots of position ${ticket}` }] },
      { state: 'expired' },
    ]);
    expect(await positions()).toEqual([]);
    expect(await problem()).toContain('GBPUSD: alert 3 expired');
  });

  it('wait for the bars of their average true range, which a terminal loads when it is asked', async () => {
    await start(['atr: {timeframe: D1, period: 20}', 'max_age_seconds: 20'], { SIM_HISTORY_DAYS: '5' });
    await deliver('buy EURUSD lots=0.1 sl=2atr id=1');
    await gateway.until(async () => (await signals())[0]?.['reason'] != null, 100);
    expect((await signals())[0]).toMatchObject({
      state: 'accepted',
      reason: expect.stringMatching(/^terminal_unavailable: the terminal has \d+ of the 21 bars of EURUSD/),
    });
    await gateway.agedBy(30_000);
    await ended();
    expect((await signals())[0]).toMatchObject({
      state: 'expired',
      reason: expect.stringContaining('of the 21 bars'),
    });
    expect(await positions()).toEqual([]);
  });

  it('pass the kill switch and the fences like every other request', async () => {
    await start();
    await gateway.send('PUT', '/fences/other', { token: 3, magics: [7001] });
    await deliver('buy EURUSD lots=0.1 id=1');
    await ended();
    expect((await signals())[0]).toMatchObject({ state: 'refused', reason: expect.stringContaining('fence_required') });
    await gateway.restart(undefined, { SIGNALS_FILE: signalsFile(folder, ['fence: "other;3"']) });
    await deliver('buy EURUSD lots=0.1 id=2');
    await ended();
    expect((await signals())[0]).toMatchObject({ state: 'done' });
    await gateway.post('/kill');
    await deliver('buy EURUSD lots=0.1 id=3');
    await ended();
    expect((await signals())[0]).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('kill_switch_active'),
    });
    expect(await positions()).toHaveLength(1);
  });
});

describe('a source whose gateway loses its power again and again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signals-'));
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  const broker = { SIM_HOURS: 'always', SIM_STATE_FILE: '', SIM_BALANCE: '1000000', SIM_MARGIN_MODE: 'netting' };
  const env = { ...broker, SIGNALS_FILE: signalsFile(folder, ['sequence: none', 'max_age_seconds: 86400']) };
  const simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, broker)), clock);
  const disk = new SimulatedDisk(clock, () => 0.5);
  let gateway: GatewayUnderTest;
  /** The program is dead: what it still sends does not leave it. */
  let end: () => void;
  let isRunning = true;
  const run = async (): Promise<void> => {
    while (isRunning) await clock.advance(5);
  };
  const start = async (): Promise<void> => {
    const session = simulator.connect();
    let isDead = false;
    end = () => (isDead = true);
    const orderSend = (request: JournaledRequest): Promise<SendOutcome> =>
      isDead ? new Promise(() => undefined) : session.orderSend(request);
    const link = withCalls(session, { orderSend });
    gateway = await gatewayUnderTest({ clock, ...disk.view, folder: '/disk', env, terminal: link });
  };
  const deliver = async (payload: string): Promise<Json> =>
    (
      await gateway.app.inject({ method: 'POST', url: `/signals/trend/${secret}`, payload, headers: asWebhook })
    ).json<Json>();

  beforeAll(async () => {
    void run();
    await simulator.start();
    await start();
  });
  afterAll(async () => {
    await gateway.stop();
    await simulator.stop();
    isRunning = false;
    removeFolder(folder);
  });

  it('is one alert for deliveries that are read in the same instant', async () => {
    const signals = gateway.app.get<Signals>(SIGNALS);
    const source = signals.source('trend');
    if (source === undefined) throw new Error('no source');
    const fields = alertFields(Buffer.from('close EURUSD id=same-instant'));
    const taken = await Promise.all([1, 2, 3].map(() => signals.take(source, fields)));
    expect(taken.map(({ isRepeated }) => isRepeated)).toEqual([false, true, true]);
  });

  it('has one order for each alert, however often and in whatever order it is delivered', async () => {
    const count = effort(300, 10_000);
    const symbols = ['EURUSD', 'GBPUSD', 'USDJPY'];
    const alerts = Array.from({ length: count }, (_, id) => `buy ${symbols[id % 3]} lots=0.01 id=${id}`);
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    const places = fc.sample(fc.array(place, { minLength: 1, maxLength: 4 }), count);
    const deliveries = places
      .flatMap((some, id) => some.map((at) => ({ alert: alerts[id] ?? '', at })))
      .sort((a, b) => a.at - b.at);
    const batch = Math.ceil(deliveries.length / 5);
    const promised = new Set<unknown>();
    for (let at = 0; at < deliveries.length; at += batch) {
      for (const { alert } of deliveries.slice(at, at + batch)) {
        // A delivery in flight at the loss of power has no answer.
        void deliver(alert).then(({ state, id }) => state !== undefined && promised.add(id));
      }
      await clock.sleep(1_000);
      disk.crash('power');
      end();
      await start();
    }
    // What got no answer is delivered again.
    const answers = await Promise.all(alerts.map(deliver));
    expect(answers.filter(({ ok }) => ok !== true)).toEqual([]);
    const ids = new Set(answers.map(({ id }) => id));
    expect(ids.size).toBe(count);
    expect([...promised].filter((id) => !ids.has(id))).toEqual([]);
    while (!(await gateway.call('/health')).body.includes('"waiting":0,"unknown":0')) await clock.sleep(1_000);
    const rows = (await gateway.call('/signals?limit=1000')).json<{ readonly data: readonly Json[] }>().data;
    const bought = rows.filter(({ alert }) => String(alert).startsWith('buy'));
    expect(new Set(bought.map(({ state, reason }) => `${String(state)} ${String(reason)}`))).toEqual(
      new Set(['done null']),
    );
    await clock.sleep(5_000);
    // Each change is one event, wherever the power failed.
    const told = new Map<string, number>();
    for (let since = 0, isMore = true; isMore;) {
      const page = (await gateway.call(`/events?limit=1000&since=${since}`)).json<EventsPage>();
      for (const { event, action, signal } of page.data)
        if (event === 'signal' && signal?.alert.startsWith('buy'))
          told.set(`${signal.alert} ${action}`, (told.get(`${signal.alert} ${action}`) ?? 0) + 1);
      isMore = page.next_since < page.last_seq;
      since = page.next_since;
    }
    expect([...told].filter(([, times]) => times !== 1)).toEqual([]);
    // The log keeps 20,000 events; in the long form there are more.
    const kept = count < 2_000 ? alerts : [];
    const expected = kept.flatMap((alert) => [`${alert} accepted`, `${alert} done`]);
    expect(expected.filter((one) => !told.has(one))).toEqual([]);
    const positions = (await gateway.call('/get_positions')).json<{ readonly data: readonly Json[] }>().data;
    expect(positions.reduce((sum, { volume }) => sum + Number(volume), 0)).toBeCloseTo(count / 100, 8);
  });
});
