import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeSender } from '../trade-journal/trade-sender';

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

  it('does not receive a 404 for its key from another account', async () => {
    expect((await get('/trade_requests/never-sent', login)).statusCode).toBe(404);
    expect((await get('/trade_requests/never-sent', login + 1)).statusCode).toBe(412);
  });

  it('is answered from the journal under a used key, regardless of the current account', async () => {
    expect((await buy(login, 'kept')).statusCode).toBe(200);
    const again = await buy(login + 1, 'kept');
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect((await get('/trade_requests/kept', login + 1)).statusCode).toBe(200);
    expect(await positions()).toBe(1);
  });

  it('is not answered while no account is known', async () => {
    await gateway.app.get(TerminalSession).stop();
    expect((await get('/trade_requests/never-sent', login)).statusCode).toBe(503);
    expect((await buy(login)).statusCode).toBe(503);
  });

  it('is checked again at the send, because the account may have changed since the guard', async () => {
    const identity = { clientOrderId: 'late', requestId: 'r', method: 'POST', path: '/order', fingerprint: 'f' };
    const attempt = gateway.app.get(TradeJournal).begin({ ...identity, route: 'POST /order' }, true);
    attempt.expectedLogin = login + 1;
    const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 });
    const intent = { purpose: 'open', request, serverTimeMsc: 0, positionId: 0, positionVolume: 0 } as const;
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
