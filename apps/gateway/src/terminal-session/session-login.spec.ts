import { LastErrorCode } from '@libs/terminal-client';
import { account, SessionRig } from './testing/session-rig';

let rig: SessionRig;
afterEach(() => rig.end());

describe('the login at boot', () => {
  it('happens in the background with the configured account, and requests in between receive a 503 with a time to wait', async () => {
    rig = await SessionRig.create();
    expect(rig.session.status()).toMatchObject({ state: 'disconnected', account: null, attempts: 0 });
    rig.session.start();
    expect(await rig.request()).toBe('connecting 1');
    await rig.clock.advance(0);
    expect(await rig.request()).toBe('connected');
    expect(rig.session.status()).toMatchObject({
      ...{ state: 'connected', driver: 'simulator', account: 100_001, attempts: 0, lastError: null },
      ...{ since: '2024-05-14T10:00:00.000Z', verifiedAgeSeconds: 0, cooldownRemainingSeconds: 0 },
    });
    expect(rig.connected).toMatchObject([{ login: 100_001, server: 'Simulator-Demo' }]);
    expect(rig.heard.map(({ what }) => what)).toContain('audit: login 100001');
  });

  it('tries once per cooldown, and no more, while the password is refused', async () => {
    rig = await SessionRig.connected({ credentials: { ...account, password: 'wrong' } });
    expect(rig.session.status()).toMatchObject({
      ...{ state: 'cooldown', attempts: 1, cooldownRemainingSeconds: 5 },
      lastError: { code: LastErrorCode.AUTH_FAILED, message: 'Terminal: Authorization failed' },
    });
    expect(await rig.request()).toBe('cooldown 5');
    await rig.clock.advance(5_000);
    expect(rig.session.status()).toMatchObject({ state: 'cooldown', attempts: 1, cooldownRemainingSeconds: 10 });
  });

  it('tries once per hour after three refusals, and reports it', async () => {
    rig = await SessionRig.connected({ credentials: { ...account, password: 'wrong' } });
    await rig.clock.advance(15_000);
    expect(rig.session.status()).toMatchObject({
      ...{ state: 'cooldown', loginRefusals: 3, cooldownRemainingSeconds: 3_600 },
      lastError: { code: LastErrorCode.AUTH_FAILED },
    });
    expect(await rig.request()).toBe('cooldown 3600');
    expect(rig.secondsOf(/refused 3 logins in a row/)).toEqual([15]);
    rig.zero();
    await rig.clock.advance(3 * 3_600_000 - 1_000);
    expect(rig.secondsOf(/login attempt/)).toEqual([3_600, 7_200]);
  });

  it('detects a manual login in that hour at once, and then resets', async () => {
    rig = await SessionRig.connected({ credentials: { ...account, password: 'wrong' }, verifyTtlMs: 30_000 });
    await rig.clock.advance(15_000);
    rig.simulator.loginByHand();
    await rig.clock.advance(30_000);
    expect(rig.session.status()).toMatchObject({
      ...{ state: 'connected', account: 100_001, loginRefusals: 0, lastError: null },
    });
    await rig.clock.advance(2 * 3_600_000);
    expect(rig.secondsOf(/login attempt/)).toEqual([0, 5, 15]);
  });

  it('does not accept a previously logged-in account as the configured one', async () => {
    rig = await SessionRig.create();
    rig.simulator.faults.set({ kind: 'other-account', login: 777 });
    rig.session.start();
    await rig.clock.advance(0);
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 100_001 });
  });

  it('adopts a session of the configured account without another login', async () => {
    rig = await SessionRig.create();
    rig.simulator.loginByHand();
    rig.simulator.faults.set({ kind: 'login-refused' });
    rig.session.start();
    await rig.clock.advance(0);
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 100_001 });
  });
});

describe('without the four core settings', () => {
  it('the gateway stays logged out and detects a manual login at the next check', async () => {
    rig = await SessionRig.connected({ credentials: null, verifyTtlMs: 30_000 });
    expect(rig.session.status()).toMatchObject({ state: 'disconnected', account: null });
    await rig.clock.advance(29_000);
    expect(await rig.request()).toBe('disconnected 1');
    rig.simulator.loginByHand();
    expect(await rig.request()).toBe('disconnected 1');
    await rig.clock.advance(1_000);
    expect(await rig.request()).toBe('connected');
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 100_001 });
    expect(rig.session.reconnectsTotal).toBe(0);
  });

  it('the checks resume after a manual logout', async () => {
    rig = await SessionRig.create({ credentials: null });
    rig.simulator.loginByHand();
    rig.session.start();
    await rig.clock.advance(30_000);
    await rig.breakWith({ kind: 'logged-out' });
    expect(await rig.request()).toBe('reconnecting 1');
    await rig.clock.advance(0);
    expect(await rig.request()).toBe('disconnected 30');
  });

  it('the checks continue while there is no terminal', async () => {
    rig = await SessionRig.create({ credentials: null });
    rig.simulator.faults.set({ kind: 'disconnected' });
    rig.session.start();
    await rig.clock.advance(95_000);
    expect(rig.session.status()).toMatchObject({ state: 'disconnected', lastError: { code: -10003 } });
    rig.mend();
    rig.simulator.loginByHand();
    await rig.clock.advance(25_000);
    expect(rig.session.status()).toMatchObject({ state: 'connected' });
  });
});

describe('a configured account without complete credentials', () => {
  it('is the only one whose manual login is accepted', async () => {
    rig = await SessionRig.create({ credentials: null, expected: { login: 888 } });
    rig.simulator.loginByHand();
    rig.session.start();
    await rig.clock.advance(60_000);
    expect(rig.session.status()).toMatchObject({
      ...{ state: 'disconnected', account: null },
      lastError: { code: LastErrorCode.AUTH_FAILED, message: 'the logged-in account is not the configured one' },
    });
    rig.simulator.faults.set({ kind: 'other-account', login: 888 });
    await rig.clock.advance(30_000);
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 888 });
  });
});
