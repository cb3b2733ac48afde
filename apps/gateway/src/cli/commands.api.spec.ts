import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { gatewayUnderTest, removeFolder, testKey, until, type GatewayUnderTest } from '../testing/gateway-under-test';
import { auditHistory } from './audit-history';
import { exitCodeOf, problemOf } from './exit-codes';
import { run } from './run';

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const order = { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 };

describe('the commands of the gateway', () => {
  let gateway: GatewayUnderTest;
  let url: string;
  beforeAll(async () => {
    // With the zone, the times of two answers are equal from the first one on.
    const env = { SIM_HOURS: 'always', API_KEY_READONLY: 'reading', MAX_OPEN_VOLUME: '5' };
    gateway = await gatewayUnderTest({ env: { ...env, TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } });
    await gateway.app.listen(0, '127.0.0.1');
    url = await gateway.app.getUrl();
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  /** As the program does: an error becomes its message and its code. */
  async function gatewayWith(env: Record<string, string>, line: string, signal?: AbortSignal): Promise<Printed> {
    const [out, err]: [string[], string[]] = [[], []];
    const edge = {
      ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
      ...{ env: { GATEWAY_URL: url, ...env }, signal: signal ?? new AbortController().signal },
    };
    const code = await run(line.split(' '), edge).catch((error: unknown) => {
      err.push(problemOf(error));
      return exitCodeOf(error);
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  const command = (line: string): Promise<Printed> => gatewayWith({ API_KEY: testKey }, line);
  const json = async <T>(line: string): Promise<T> => {
    const answer: T = JSON.parse((await command(`${line} --json`)).out);
    return answer;
  };
  const place = (key: string, body: object = order) =>
    gateway.call({ method: 'POST', url: '/order', payload: body, headers: { 'idempotency-key': key } });

  it('show the state, the account, its positions and its orders', async () => {
    expect((await place('first')).statusCode).toBe(200);
    const pending = { ...order, type: 'BUY_LIMIT', price: 0.9, magic: 8 };
    expect((await place('second', pending)).statusCode).toBe(200);
    expect(await command('status')).toMatchObject({
      ...{ code: 0, err: '' },
      out: expect.stringMatching(/status +ready\nhealth +healthy\naccount +100001[^]*MAX_OPEN_VOLUME +0.2 of 5/),
    });
    expect(await command('account')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/100001 .* demo +USD +\d+\.\d\d /),
    });
    expect(await command('equity --hours 2')).toMatchObject({ code: 0, out: 'nothing recorded in this time' });
    expect((await command('positions')).out).toMatch(/EURUSD +BUY +0\.1 +\d\.\d{4,5} .* 7 +first$/m);
    expect((await command('positions --magic 8')).out).toBe('no open positions');
    for (const list of ['positions', 'orders'])
      expect(await command(`${list} --symbol eurusd`)).toMatchObject({
        code: 1,
        err: expect.stringContaining('the broker has no symbol eurusd; did you mean EURUSD?'),
      });
    expect((await command('orders --symbol EURUSD')).out).toMatch(/EURUSD +BUY_LIMIT +0\.1 +0\.90000 .* 8 +second$/m);
    expect((await command('orders --magic 7')).out).toBe('no pending orders');
    expect((await command('check')).out).toMatch(/^audit log +ok +no line is missing$/m);
  });

  it('print the complete answers of the gateway as JSON', async () => {
    // A quote between the two answers would change the position's price and profit.
    gateway.simulator.faults.set({ kind: 'frozen-quotes' });
    const answer = async (path: string): Promise<Record<string, unknown>> => (await gateway.call(path)).json();
    expect(await json('account')).toMatchObject(await answer('/account'));
    expect(await json('positions')).toEqual((await answer('/get_positions'))['data']);
    expect(await json('orders')).toEqual((await answer('/orders'))['data']);
    expect(Object.keys((await json<{ health: object }>('status')).health)).toEqual(
      Object.keys(await answer('/health')),
    );
    const { as_of: _, ...books } = await json<Record<string, unknown>>('reconcile');
    expect(Object.keys(books)).toEqual(['positions', 'orders', 'deals', 'unresolved', 'differences']);
    expect(await answer('/reconcile')).toMatchObject(books);
    gateway.simulator.faults.clear('frozen-quotes');
  });

  it('list the alerts of the sources of signals', async () => {
    expect(await command('signals')).toMatchObject({ code: 0, out: 'no alerts', err: '' });
    expect(await json('signals')).toEqual({ sources: [], signals: [] });
  });

  it('do not call a source fine that does not exist', async () => {
    expect(await command('signals --source trned')).toMatchObject({
      ...{ code: 2, out: '' },
      err: 'no alert and no source is named trned; declared: none',
    });
  });

  it('halt and resume trading, and say by their code that the gateway is not ready', async () => {
    expect(await command('kill')).toMatchObject({ code: 0, out: 'trading is halted' });
    expect(await command('status')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/status +not_ready: kill_switch/),
    });
    expect(await command('check')).toMatchObject({ code: 1, out: expect.stringMatching(/ready +FAILED +kill_switch/) });
    expect(await command('release')).toMatchObject({ code: 0, out: 'trading resumes' });
    expect((await command('release')).out).toBe('trading was not halted: nothing changed');
    expect(await command('check')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ready +ok +all checks are up/),
    });
    const halted = JSON.parse((await command('kill --flatten --json')).out) as { body: { flatten: object } };
    expect(halted.body.flatten).toMatchObject({ complete: true, cancelled: [{}], closed: [{}] });
    expect((await command('release')).code).toBe(0);
  });

  it('list what the flattening could not do', async () => {
    await place('stuck');
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018, times: 50 });
    const flattened = await command('kill --flatten');
    gateway.simulator.faults.clear();
    expect(flattened).toMatchObject({
      code: 1,
      out: expect.stringMatching(/closed 0, not done 1\n\nKIND[^]*position +\d+/),
    });
    expect(await command('kill --flatten')).toMatchObject({
      code: 0,
      out: expect.stringContaining('closed 1, not done 0'),
    });
    await command('release');
  });

  it('report a difference between the books and the journal', async () => {
    expect(await command('reconcile')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/0 positions, 0 orders.*\n\nno request has an unknown outcome\n\nno differences/),
    });
    const session = gateway.simulator.connect();
    await session.connect();
    const byHand = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.2, type: OrderType.BUY });
    await session.orderSend(sealRequest('by hand', byHand));
    expect(await command('reconcile --hours 1')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /position_without_intent +\d+ +EURUSD +position \d+ did not come through this gateway/,
      ),
    });
    expect(await command('check')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/books +FAILED +1 difference /),
    });
    expect(await json<object[]>('check')).toContainEqual({ what: 'books', ok: false, detail: expect.any(String) });
  });

  it('show what they could read beside a part that cannot be read', async () => {
    await place('shown');
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'], code: -1 });
    const checked = await command('check');
    const found = await json<{ what: string; ok: boolean | null; detail: string }[]>('check');
    gateway.simulator.faults.clear();
    expect(checked).toMatchObject({ code: 1, err: '' });
    expect(checked.out).toMatch(/^ready +ok +all checks are up$/m);
    expect(checked.out).toMatch(/^audit log +ok +no line is missing$/m);
    expect(checked.out).toMatch(/^outcomes +UNKNOWN +could not be read: the read of the terminal failed/m);
    expect(checked.out).toMatch(/^books +UNKNOWN +could not be read: the read of the terminal failed/m);
    expect(found).toContainEqual({ what: 'books', ok: null, detail: expect.stringContaining('could not be read') });
  });

  it('show a request of unknown outcome also while the account cannot be read', async () => {
    gateway.simulator.faults.set({ kind: 'drop-after-send', times: 1 });
    const { statusCode } = await place('lost');
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet', 'historyOrdersGet'], code: -1 });
    const shown = await command('request lost');
    gateway.simulator.faults.clear();
    expect({ statusCode, ...shown }).toMatchObject({ statusCode: 502, code: 1, err: '' });
    expect(shown.out).toMatch(/^status +unknown$/m);
    expect(shown.out).toMatch(/^its sends could not be read: the read of the terminal failed/m);
  });

  it('refuse an empty argument, which a variable that is not set leaves', async () => {
    for (const line of ['request ', 'positions --symbol ', 'status --url ', 'signals --source=']) {
      expect([line, await command(line)]).toEqual([
        line,
        { code: 2, out: '', err: expect.stringMatching(/^(KEY is empty|--[a-z]+ needs a value, and it is empty)$/) },
      ]);
    }
  });

  it('show all that is known of a request, from rotated logs too', async () => {
    const log = join(gateway.folder, 'order-audit.jsonl');
    // The request before has cut the connection.
    await until(async () => (await place('known')).statusCode === 200);
    renameSync(log, `${log}.1`);
    await place('known', { ...order, volume: 0.3 });
    // The lines before it are in the old file then, which logrotate compresses now.
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('idempotency_conflict'));
    writeFileSync(`${log}.1.gz`, gzipSync(readFileSync(`${log}.1`)));
    rmSync(`${log}.1`);
    // The gateway removes its probe at any time: to a reader of the folder, it is a name without a file.
    symlinkSync(join(gateway.folder, 'gone'), `${log}.probe`);
    const shown = await command(`request known --audit-file ${log}`);
    rmSync(`${log}.probe`, { force: true });
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/status +completed\n[^]*trace +[0-9a-f]{32}\n[^]*answer +200 \{/);
    expect(shown.out).toMatch(
      / intent +primary +EURUSD +buy +0\.1[^]* broker_response +primary [^]*DONE\n[^]* refused .*idempotency_conflict$/,
    );
    const { request, audit } = await json<{ request: object; audit: object[] }>(`request known --audit-file ${log}`);
    expect(request).toMatchObject({ key: 'known', status: 'completed', response_status: 200 });
    expect(audit).toHaveLength(3);
    expect((await command('request known')).out).toContain('the audit log was not read');
    expect(await command(`request never --audit-file ${log}`)).toMatchObject({
      code: 1,
      out: 'the journal has no request under never\n\nthe audit log has no line of this key',
    });
    expect(await command(`request known --audit-file ${log}.gone/x`)).toMatchObject({ code: 1, out: '' });
  });

  it('read the audit log again if logrotate moved a file of it meanwhile', async () => {
    const log = join(gateway.folder, 'moved.jsonl');
    writeFileSync(log, '{"client_order_id":"moved","timestamp":"1","sequence":1}\n');
    // Read before the log itself, and for as long as it has a writer.
    const slow = `${log}.0`;
    execFileSync('mkfifo', [slow]);
    const reading = auditHistory(log, 'moved');
    const writer = await open(slow, 'w');
    renameSync(log, `${log}.1`);
    writeFileSync(log, '');
    rmSync(slow);
    await writer.close();
    expect(await reading).toEqual([expect.objectContaining({ client_order_id: 'moved' })]);
  });

  it('follow the trade events until they are interrupted', async () => {
    const events: string[] = [];
    const interrupt = new AbortController();
    const watching = run(['watch', '--magic', '9', '--json'], {
      env: { GATEWAY_URL: url, API_KEY: 'reading' },
      signal: interrupt.signal,
      err: (text) => {
        if (text.startsWith('connected')) void place('seen', { ...order, magic: 9 });
      },
      out: (text) => {
        events.push(text);
        if (events.length === 3) interrupt.abort();
      },
    });
    expect(await watching).toBe(0);
    const told = events.map(
      (text) => JSON.parse(text) as { event: string; action: string; magic: number; seq: number },
    );
    expect(told.map(({ event }) => event).sort()).toEqual(['deal', 'order', 'position']);
    expect(told.every(({ magic }) => magic === 9)).toBe(true);
    const again = new AbortController();
    const lines: string[] = [];
    const since = String((told[0]?.seq ?? 0) - 1);
    await run(['watch', '--since', since], {
      ...{ env: { GATEWAY_URL: url, API_KEY: testKey }, signal: again.signal, err: () => undefined },
      out: (text) => void (lines.push(text) === 3 && again.abort()),
    });
    const { events: kept } = await json<{ events: { first_seq: number; last_seq: number } }>('status');
    expect((await command('status')).out).toContain(`#${kept.first_seq} to #${kept.last_seq}`);
    const text: string[] = [];
    const read = new AbortController();
    await run(['watch', '--since', '0'], {
      ...{ env: { GATEWAY_URL: url, API_KEY: testKey }, signal: read.signal, err: () => undefined },
      out: (line) => void (text.push(line) === kept.last_seq - kept.first_seq + 1 && read.abort()),
    });
    expect(text.join('\n')).toMatch(/order opened {2}EURUSD .* 0\.1 lots at 0\.90000$/m);
    const watched = async (number: number): Promise<{ notes: string[]; out: string[] }> => {
      const end = new AbortController();
      const [notes, out]: [string[], string[]] = [[], []];
      await run(['watch', '--json', '--since', String(number)], {
        ...{ env: { GATEWAY_URL: url, API_KEY: testKey }, signal: end.signal },
        err: (text) => {
          // That of the position that was opened by hand comes with the next comparison, whenever that is.
          if (!text.startsWith('difference:')) notes.push(text);
          if (text.startsWith('connected') && number > kept.last_seq) end.abort();
        },
        out: (text) => void (out.push(text) === kept.last_seq - kept.first_seq + 1 && end.abort()),
      });
      return { notes, out };
    };
    // Every event is in the log, so none is lost.
    const all = await watched(0);
    expect(all.notes).toEqual([
      `the log begins at #${kept.first_seq}`,
      `connected: following the trade events after #${kept.first_seq - 1}`,
    ]);
    expect(JSON.parse(all.out[0] ?? '')).toMatchObject({ seq: kept.first_seq });
    expect((await watched(kept.last_seq + 9)).notes).toEqual([
      `there is no event #${kept.last_seq + 9}: the newest is #${kept.last_seq}`,
      `connected: following the trade events after #${kept.last_seq}`,
    ]);
    expect(lines.join('\n')).toMatch(
      / {2}#\d+ {2}deal added {2}EURUSD {2}ticket \d+ {2}magic 9 {2}0\.1 lots at 1\.\d+/,
    );
  });

  it('name the lines of the audit log that were removed', async () => {
    rmSync(join(gateway.folder, 'order-audit.jsonl'));
    expect((await place('after', { ...order, magic: 11 })).statusCode).toBe(200);
    expect((await command('status')).out).toMatch(
      /^audit log +ok \(lines? .* (was|were) written and can be read in no file/m,
    );
    expect(await command('check')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^audit log +FAILED +lines? .* (was|were) written/m),
    });
  });

  it('show by their exit code whether there was no answer or the key was refused', async () => {
    const nowhere = { API_KEY: testKey, GATEWAY_URL: 'http://127.0.0.1:1' };
    for (const line of ['status', 'positions', 'kill', 'watch', 'check']) {
      expect([line, (await gatewayWith(nowhere, line)).code]).toEqual([line, 3]);
      expect([line, (await gatewayWith({ API_KEY: 'wrong' }, line)).code]).toEqual([line, 4]);
    }
    const closed = createServer();
    await new Promise<void>((listening) => closed.listen(0, '127.0.0.1', listening));
    const address = closed.address();
    const left = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    await new Promise((end) => closed.close(end));
    expect((await gatewayWith({ ...nowhere, GATEWAY_URL: left }, 'kill')).err).toBe(
      `POST ${left}/kill: ECONNREFUSED: no gateway listens there, so nothing was done`,
    );
    expect(await gatewayWith({ API_KEY: 'reading' }, 'kill')).toMatchObject({ code: 4, err: 'this key is read-only' });
    expect((await gatewayWith({ API_KEY: 'reading' }, 'status')).out).toMatch(/key +read-only/);
  });

  it('take the key from a file, and never from the command line', async () => {
    const file = join(gateway.folder, 'key');
    writeFileSync(file, `${testKey}\n`);
    expect((await gatewayWith({}, `status --key-file ${file}`)).code).toBe(0);
    expect((await gatewayWith({ API_KEY_FILE: file }, 'account')).code).toBe(0);
    expect(await gatewayWith({}, 'status')).toMatchObject({ code: 2, err: expect.stringContaining('there is no key') });
    const withPassword = url.replace('//', '//me:secret@');
    for (const line of [
      'status --key x',
      'status --key-file /dev/zero',
      `status --key-file ${file}.gone`,
      `status --url ${withPassword}`,
      'status --url x',
    ]) {
      const { code, err } = await gatewayWith({ API_KEY: testKey }, line);
      expect([line, code]).toEqual([line, 2]);
      expect(err).not.toContain('secret');
    }
    expect((await gatewayWith({ API_KEY: testKey, GATEWAY_URL: withPassword }, 'status')).code).toBe(2);
  });
});
