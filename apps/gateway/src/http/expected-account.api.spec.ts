import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeSender } from '../trade-journal/trade-sender';

const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 });
const intent = { purpose: 'open', request, serverTimeMsc: 0, positionId: 0, positionVolume: 0 } as const;
const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 };

describe('a request that names the account it is meant for', () => {
  let gateway: GatewayUnderTest;
  let login: number;
  let keys = 0;

  beforeEach(async () => {
    gateway = await gatewayUnderTest();
    login = (await gateway.call('/account')).json<{ login: number }>().login;
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const get = (url: string, expected: number | string) =>
    gateway.call({ url, headers: { 'x-expect-login': String(expected) } });
  const buy = (expected: number, key = `expected-${keys++}`) =>
    gateway.call({
      method: 'POST',
      url: '/order',
      headers: { 'x-expect-login': String(expected), 'idempotency-key': key },
      payload: order,
    });
  const positions = async () => (await gateway.call('/positions_total')).json<{ total: number }>().total;

  it('is answered while that account is logged in', async () => {
    expect((await get('/get_positions', login)).statusCode).toBe(200);
    expect((await buy(login)).statusCode).toBe(200);
    expect(await positions()).toBe(1);
  });

  it('is rejected by another account on every route, and nothing is sent', async () => {
    for (const path of ['/account', '/get_positions', '/reconcile', '/events', '/stream/ticks?symbols=EURUSD']) {
      const answer = await get(path, login + 1);
      expect([path, answer.statusCode]).toEqual([path, 412]);
    }
    const answer = await buy(login + 1);
    expect(answer.statusCode).toBe(412);
    expect(answer.json()).toMatchObject({
      ok: false,
      error_type: 'account_mismatch',
      details: { expected: login + 1, actual: login },
    });
    expect(await positions()).toBe(0);
    expect((await gateway.call('/metrics')).payload).toMatch(/trade_refusals_total\{[^}]*account_mismatch[^}]*\} 1/);
  });

  /** Routes that are answered without a terminal. */
  const local = [
    ['POST', '/journal/accept', { journal_id: 'x' }],
    ['POST', '/account/accept', { since: '2026-01-05T10:00:00Z' }],
    ['POST', '/kill/release', undefined],
    ['POST', '/notifications/retry', { channel: 'ops', ids: ['1'] }],
    ['POST', '/notifications/drop', { channel: 'ops', ids: ['1'] }],
    ['PUT', '/fences/trend', { token: 7 }],
    ['GET', '/notifications/set_aside', undefined],
    ['GET', '/signals', undefined],
    ['GET', '/server_time?date=2026-01-05T10:00:00Z', undefined],
  ] as const;

  it.each(local)('%s %s is rejected by another account, and by a header that is no account', async (...of) => {
    const [method, url, payload] = of;
    const ask = (expected: string) =>
      gateway.call({ method, url, headers: { 'x-expect-login': expected }, ...(payload && { payload }) });
    expect((await ask(String(login + 1))).json()).toMatchObject({ error_type: 'account_mismatch' });
    expect((await ask('abc')).json()).toMatchObject({ details: [{ field: 'X-Expect-Login' }] });
    expect((await ask(String(login))).json()).not.toMatchObject({ error_type: 'account_mismatch' });
  });

  it('does not end the halt of another account', async () => {
    await gateway.call({ method: 'POST', url: '/kill' });
    const release = (expected: number) =>
      gateway.call({ method: 'POST', url: '/kill/release', headers: { 'x-expect-login': String(expected) } });
    expect((await release(login + 1)).json()).toMatchObject({ error_type: 'account_mismatch' });
    expect((await gateway.call('/health')).json()).toMatchObject({ kill_switch_active: true });
    expect((await release(login)).json()).toMatchObject({ ok: true, kill_switch_active: false });
  });

  it('does not receive a 404 for its key from another account', async () => {
    expect((await get('/trade_requests/never-sent', login)).statusCode).toBe(404);
    expect((await get('/trade_requests/never-sent', login + 1)).statusCode).toBe(412);
  });

  it('is answered from the journal under a used key, only if the request was made on that account', async () => {
    expect((await buy(login, 'kept')).statusCode).toBe(200);
    const again = await buy(login, 'kept');
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    const other = await buy(login + 1, 'kept');
    expect([other.statusCode, other.json()]).toMatchObject([
      412,
      { error_type: 'account_mismatch', details: { expected: login + 1, actual: login } },
    ]);
    expect(other.headers['idempotent-replayed']).toBeUndefined();
    expect(await positions()).toBe(1);
  });

  /** Every route that names the key of a request, with the header and without a terminal. */
  const routesOfKey = [
    ['GET', '/trade_requests/kept'],
    ['GET', '/trade_requests/kept/audit'],
    ['PUT', '/trade_requests/kept/void'],
    ['PUT', '/trade_requests/kept/accept'],
    ['POST', '/order'],
  ] as const;

  it.each(routesOfKey)(
    '%s %s compares with the account of the recorded request, also without a session',
    async (...of) => {
      const [method, url] = of;
      const ask = (expected: number | string) =>
        gateway.call({
          method,
          url,
          headers: { 'x-expect-login': String(expected), 'idempotency-key': 'kept' },
          ...(method === 'POST' ? { payload: order } : {}),
        });
      await buy(login, 'kept');
      expect((await ask(login + 1)).json()).toMatchObject({ error_type: 'account_mismatch' });
      const bad = await ask('abc');
      expect([bad.statusCode, bad.json()]).toMatchObject([400, { details: [{ field: 'X-Expect-Login' }] }]);
      await gateway.app.get(TerminalSession).stop();
      expect((await ask(login)).statusCode).toBe(200);
      expect((await ask(login + 1)).statusCode).toBe(412);
    },
  );

  it('is not answered under a key of another account after that account was replaced, or a restart', async () => {
    await buy(login, 'of-the-first');
    const voided = await gateway.call({ method: 'PUT', url: '/trade_requests/void-of-the-first/void' });
    expect(voided.json()).toMatchObject({ status: 'void' });
    await gateway.stop();
    gateway = await gatewayUnderTest({ folder: gateway.folder, env: { SIM_LOGIN: String(login + 1) } });
    expect((await get('/account', login + 1)).statusCode).toBe(200);
    expect((await buy(login + 1, 'of-the-first')).statusCode).toBe(412);
    expect((await get('/trade_requests/of-the-first/audit', login + 1)).statusCode).toBe(412);
    expect((await get('/trade_requests/void-of-the-first', login + 1)).statusCode).toBe(412);
    expect((await get('/trade_requests/of-the-first', login)).json()).toMatchObject({ status: 'completed' });
    expect((await buy(login, 'of-the-first')).headers['idempotent-replayed']).toBe('true');
  });

  it('is answered from a record of an earlier version, which names no account, only while the account is logged in', async () => {
    const journal = gateway.app.get(TradeJournal);
    const identity = { clientOrderId: 'old', requestId: 'r', method: 'POST', path: '/order', fingerprint: 'f' };
    await journal.complete(journal.begin({ ...identity, route: 'POST /order' }, true), { status: 200, body: '{}' });
    expect((await get('/trade_requests/old', login)).statusCode).toBe(200);
    const other = await get('/trade_requests/old', login + 1);
    // A 412 would state that nothing was done for the expected account.
    expect([other.statusCode, other.json()]).toMatchObject([
      503,
      { error_type: 'terminal_unavailable', details: { expected: login + 1, actual: login } },
    ]);
  });

  it('is not answered while no account is known', async () => {
    await gateway.app.get(TerminalSession).stop();
    expect((await get('/trade_requests/never-sent', login)).statusCode).toBe(503);
    expect((await buy(login)).statusCode).toBe(503);
  });

  it('sends nothing to another account than the one that it was prepared with', async () => {
    const identity = { clientOrderId: 'begun', requestId: 'r', method: 'POST', path: '/order', fingerprint: 'f' };
    const begun = { ...identity, route: 'POST /order', login: login + 1 };
    const attempt = gateway.app.get(TradeJournal).begin(begun, true);
    const sending = gateway.app.get(TradeSender).send(attempt, intent);
    await expect(sending).rejects.toMatchObject({ errorType: 'account_mismatch' });
    expect(await positions()).toBe(0);
  });

  it('is checked again at the send, because the account may have changed since the guard', async () => {
    const identity = { clientOrderId: 'late', requestId: 'r', method: 'POST', path: '/order', fingerprint: 'f' };
    const attempt = gateway.app.get(TradeJournal).begin({ ...identity, route: 'POST /order' }, true);
    attempt.expectedLogin = login + 1;
    const sending = gateway.app.get(TradeSender).send(attempt, intent);
    await expect(sending).rejects.toMatchObject({ errorType: 'account_mismatch' });
    expect(attempt.intents.size).toBe(0);
    expect(await positions()).toBe(0);
  });

  it('carries the expected account to the send', async () => {
    const journal = gateway.app.get(TradeJournal);
    const buying = buy(login);
    while (journal.running().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [attempt] = journal.running();
    expect((await buying).statusCode).toBe(200);
    expect(attempt?.expectedLogin).toBe(login);
  });

  it('is rejected if the header is not a login', async () => {
    const answer = await get('/get_positions', 'mine');
    expect([answer.statusCode, answer.json<{ error_type: string }>().error_type]).toEqual([400, 'validation_error']);
  });

  it('leaves health and the kill switch open', async () => {
    expect((await get('/health', login + 1)).statusCode).toBe(200);
    const kill = await gateway.call({ method: 'POST', url: '/kill', headers: { 'x-expect-login': String(login + 1) } });
    expect(kill.statusCode).toBe(200);
  });
});
