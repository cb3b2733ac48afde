import { GatewayReadError } from '@libs/gateway-client';
import { ContractGateway } from '../testing/contract-gateway';
import { GatewaySession } from './gateway-session';

describe('the session with a gateway', () => {
  let gateway: ContractGateway;
  let session: GatewaySession;
  let routes: string[];

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    routes = [];
    gateway.onRead = (route) => void routes.push(route);
    const spec = { name: 'demo', url: gateway.url, apiKeyEnv: 'K', maxClockSkewMs: null };
    session = new GatewaySession({ ...spec, expect: { login: null, tradeMode: null } }, 'k');
  });
  afterEach(() => gateway.stop());

  const accounts = (): number => routes.splice(0).filter((route) => route === 'account').length;

  it('is verified once for all that ask at the same time, and again for one that asks later', async () => {
    await Promise.all([session.verify(), session.verify(), session.verify()]);
    expect(accounts()).toBe(1);
    gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    const results = await Promise.allSettled([session.verify(), session.verify()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    gateway.always = null;
    await session.verify();
    expect(session.reachable).toBe(true);
  });

  it('is with a gateway that answers, also while it refuses its lists', async () => {
    session.failed(new GatewayReadError('unreachable', 'ECONNREFUSED'));
    expect(session.accountState.state).toBe('unknown');
    gateway.unexplained = [{ kind: 'order_missing', ticket: 9, symbol: 'EURUSD', message: 'order 9 is not shown' }];
    await session.look();
    session.failed(new GatewayReadError('refused', 'not synchronized', 503, 'account_not_synchronized'));
    expect([session.reachable, session.accountState]).toMatchObject([true, { state: 'synchronizing', tickets: [9] }]);
    session.failed(new GatewayReadError('unreachable', 'ECONNREFUSED'));
    const reason = 'the gateway does not answer';
    expect(session.accountState).toEqual({ state: 'unreachable', reason, tickets: [], differences: [] });
  });

  it('has a reason why entries wait while the gateway has no session with its terminal', async () => {
    for (const state of ['disconnected', 'connecting', 'reconnecting', 'cooldown'] as const) {
      gateway.session = state;
      await session.look();
      const reason = `the gateway has no session with its terminal (${state})`;
      expect(session.accountState).toMatchObject({ state, reason });
    }
    gateway.session = 'connected';
    await session.look();
    expect(session.accountState).toMatchObject({ state: 'connected', reason: null });
  });

  it('knows why the gateway is not ready', async () => {
    await session.verify();
    await session.look();
    expect([session.ready, session.notReady]).toEqual([true, null]);
    gateway.killSwitch = true;
    await session.look();
    expect([session.ready, session.notReady]).toEqual([false, 'the kill switch is active']);
  });

  it('knows an account whose money is not explained, and holds it against what is expected', async () => {
    gateway.hidesMoney = true;
    expect(await session.verify()).toEqual({
      ...{ login: 100001, server: 'Demo', currency: 'USD', leverage: 100, trade_mode: 0, margin_mode: 2 },
    });
    expect([session.isHedging, session.lastError]).toEqual([true, null]);
    const real = new GatewaySession({ ...session.spec, expect: { login: null, tradeMode: 'real' } }, 'secret');
    await expect(real.verify()).rejects.toThrow('is a demo account, expected real');
  });

  it('reads the money of the account, unless it was just read', async () => {
    await session.verify();
    session.takeMoney({ ...(await session.client.reads.account()), balance: 5 }, 1_000);
    accounts();
    session.readMoney(1_050);
    expect(session.money).toMatchObject({ balance: 5 });
    session.readMoney(1_200);
    while (session.money?.balance !== 10_000) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(accounts()).toBe(1);
  });
});
