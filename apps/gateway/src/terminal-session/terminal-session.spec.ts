import { LastErrorCode, TerminalUnavailableError } from '@libs/terminal-client';
import { SessionUnavailableError } from './session-unavailable.error';
import { SessionRig } from './testing/session-rig';

let rig: SessionRig;
afterEach(() => rig.end());

describe('a verified connection', () => {
  it('is trusted for TERMINAL_CONNECTION_VERIFY_TTL_SECONDS, to the millisecond, without a probe', async () => {
    rig = await SessionRig.connected({ verifyTtlMs: 30_000 });
    rig.simulator.faults.set({ kind: 'failed-reads' });
    await rig.clock.advance(29_999);
    expect(rig.session.requireConnected()).toBe(rig.terminal);
    await rig.clock.advance(1);
    expect(await rig.request()).toBe('reconnecting 1');
  });

  it('is probed once for all waiting requests, and trusted again', async () => {
    rig = await SessionRig.connected();
    rig.simulator.faults.set({ kind: 'latency', ms: 200 });
    await rig.clock.advance(30_000);
    const waiting = [rig.session.requireConnected(), rig.session.requireConnected()];
    expect(waiting[0]).toBe(waiting[1]);
    await rig.clock.advance(200);
    expect(await waiting[0]).toBe(rig.terminal);
    expect(rig.session.status().verifiedAgeSeconds).toBe(0);
    await rig.clock.advance(12_345);
    expect(rig.session.status().verifiedAgeSeconds).toBe(12);
    expect(rig.session.requireConnected()).toBe(rig.terminal);
  });

  it('is not lost by one probe that timed out, but by the second in a row', async () => {
    rig = await SessionRig.connected();
    rig.simulator.faults.set({ kind: 'failed-reads', methods: ['accountInfo'], failure: 'timeout', code: -10_005 });
    await rig.clock.advance(30_000);
    await expect(rig.session.requireConnected()).rejects.toMatchObject({ failure: 'timeout' });
    expect(rig.session.status()).toMatchObject({ state: 'connected', verifiedAgeSeconds: null });
    expect(await rig.request()).toBe('reconnecting 1');
  });

  it('counts only consecutive timeouts, and sends nothing after a probe that timed out', async () => {
    rig = await SessionRig.connected();
    for (let round = 0; round < 3; round++) {
      rig.simulator.faults.set({ kind: 'failed-reads', failure: 'timeout', times: 2 });
      await expect(rig.session.confirm()).rejects.toMatchObject({ failure: 'timeout' });
      expect(await rig.session.confirm()).toBe(rig.terminal);
    }
    expect(rig.session.reconnectsTotal).toBe(0);
  });

  it('is not lost again by a probe that started before it was restored', async () => {
    rig = await SessionRig.connected();
    rig.simulator.faults.set({ kind: 'latency', ms: 5_000 });
    await rig.clock.advance(30_000);
    const waiting = rig.session.requireConnected();
    await rig.clock.advance(4_000);
    rig.mend('latency');
    rig.session.reportFailure({ code: -10_002, message: 'IPC recv failed' });
    await rig.clock.advance(0);
    expect(rig.session.reconnectsTotal).toBe(1);
    rig.simulator.faults.set({ kind: 'failed-reads', code: -10_005 });
    await rig.clock.advance(1_000);
    expect(await waiting).toBe(rig.terminal);
    expect(rig.session.status()).toMatchObject({ state: 'connected' });
  });

  it('is confirmed for a send by reading the account, not by a login since a slower probe began', async () => {
    rig = await SessionRig.connected();
    rig.simulator.faults.set({ kind: 'latency', ms: 5_000 });
    const before = rig.session.confirm();
    await rig.clock.advance(4_000);
    rig.mend('latency');
    rig.session.reportFailure({ code: -10_002, message: 'IPC recv failed' });
    await rig.clock.advance(0);
    expect(rig.session.reconnectsTotal).toBe(1);
    rig.simulator.faults.set({ kind: 'other-account', login: 777 });
    rig.simulator.faults.set({ kind: 'login-refused' });
    const after = rig.session.confirm();
    const results = Promise.allSettled([before, after]);
    await rig.clock.advance(1_000);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(rig.changes).toMatchObject([{ actual: { login: 777 } }]);
  });

  it.each([
    ['another account', { kind: 'other-account', login: 777 }],
    ['no account', { kind: 'logged-out' }],
  ] as const)('is lost if a read of the account shows %s, before its next probe', async (_, fault) => {
    rig = await SessionRig.connected();
    expect(await rig.session.readAccount()).toMatchObject({ login: 100_001 });
    rig.simulator.faults.set(fault);
    rig.simulator.faults.set({ kind: 'login-refused' });
    await expect(rig.session.readAccount()).rejects.toThrow(SessionUnavailableError);
    expect(rig.session.isConnected).toBe(false);
  });

  it('is lost once the account of a probe shows another one, before the probe has read the terminal', async () => {
    rig = await SessionRig.connected();
    const { terminal, clock } = rig;
    const read = terminal.terminalInfo.bind(terminal);
    terminal.terminalInfo = async () => {
      await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve));
      return read();
    };
    rig.simulator.faults.set({ kind: 'other-account', login: 777 });
    rig.simulator.faults.set({ kind: 'login-refused' });
    const probe = Promise.allSettled([rig.session.confirm()]);
    await clock.advance(0);
    expect(rig.session.isConnected).toBe(false);
    expect(rig.changes).toMatchObject([{ actual: { login: 777 } }]);
    await clock.advance(1_000);
    expect(await probe).toMatchObject([{ reason: expect.any(SessionUnavailableError) }]);
    expect(rig.changes).toHaveLength(1);
  });

  it('is lost if the probe finds no account logged in', async () => {
    rig = await SessionRig.connected();
    await rig.breakWith({ kind: 'logged-out' });
    await rig.clock.advance(30_000);
    expect(await rig.request()).toBe('reconnecting 1');
    await rig.clock.advance(0);
    // The configured account was logged in again at once.
    expect(await rig.request()).toBe('connected');
    expect(rig.session.reconnectsTotal).toBe(1);
  });

  it('is lost, with an audit event, if another account appears under it', async () => {
    rig = await SessionRig.connected();
    rig.zero();
    rig.simulator.faults.set({ kind: 'other-account', login: 777 });
    rig.simulator.faults.set({ kind: 'login-refused' });
    await rig.clock.advance(30_000);
    expect(await rig.request()).toBe('reconnecting 1');
    expect(rig.changes).toEqual([
      {
        expected: { login: 100_001, server: 'Simulator-Demo' },
        actual: { login: 777, server: 'Simulator-Demo' },
      },
    ]);
    expect(rig.heard.map(({ what }) => what)).toContain('audit: logout 100001 (the account changed)');
    await rig.clock.advance(10_000);
    expect(rig.session.status()).toMatchObject({ account: null, lastError: { code: LastErrorCode.AUTH_FAILED } });
    rig.mend();
    await rig.clock.advance(20_000);
    expect(rig.session.status()).toMatchObject({ state: 'connected', account: 100_001 });
  });
});

describe('a failure that a request reports', () => {
  const failure = (kind: 'disconnected' | 'timeout' | 'busy' | 'failed', code: number) =>
    new TerminalUnavailableError(kind, { code, message: 'reported' });

  it.each([-10_000, -10_001, -10_002, -10_003, -10_004, -10_005])('of IPC code %d is a disconnect', async (code) => {
    rig = await SessionRig.connected();
    rig.session.reportFailure(failure('failed', code));
    expect(await rig.request()).toBe('reconnecting 1');
    await rig.clock.advance(0);
    expect(await rig.request()).toBe('connected');
  });

  it('may be the last_error of a send', async () => {
    rig = await SessionRig.connected();
    rig.session.reportFailure({ code: -10_002, message: 'IPC recv failed' });
    expect(rig.session.status().state).toBe('reconnecting');
  });

  it.each([
    ['a busy lane', failure('busy', -1)],
    ['a busy lane, whatever its code', failure('busy', -10_005)],
    ['an error of the terminal about the call itself', failure('failed', -1)],
    ['a bug', new TypeError('undefined is not a function')],
    ['a refused send', { code: LastErrorCode.INVALID_PARAMS, message: 'Invalid "comment" argument' }],
  ])('is not a disconnect if it is %s', async (_name, error) => {
    rig = await SessionRig.connected();
    rig.session.reportFailure(error);
    expect(rig.session.requireConnected()).toBe(rig.terminal);
  });

  it('makes the next request probe if it was a timeout', async () => {
    rig = await SessionRig.connected();
    rig.session.reportFailure(failure('timeout', -10_005));
    expect(rig.session.status()).toMatchObject({ state: 'connected', verifiedAgeSeconds: null });
    rig.simulator.faults.set({ kind: 'failed-reads' });
    expect(await rig.request()).toBe('reconnecting 1');
  });

  it('starts one round, even if many requests report it', async () => {
    rig = await SessionRig.connected();
    rig.simulator.faults.set({ kind: 'disconnected' });
    rig.zero();
    for (let request = 0; request < 50; request++) rig.session.reportFailure(failure('disconnected', -10_004));
    await rig.clock.advance(3_000);
    expect(rig.secondsOf(/attempt \d failed/)).toEqual([0, 1, 3]);
  });
});

describe('settings of zero', () => {
  it('probe for every request, and still do not overload the terminal', async () => {
    rig = await SessionRig.connected({ verifyTtlMs: 0, reconnectBaseDelayMs: 0, cooldownMs: 0, cooldownMaxMs: 0 });
    expect(rig.session.requireConnected()).toBeInstanceOf(Promise);
    await rig.clock.advance(0);
    rig.zero();
    await rig.breakWith({ kind: 'disconnected' });
    await rig.clock.advance(1_000);
    expect(rig.secondsOf(/attempt \d failed/).length).toBeLessThanOrEqual(33);
  });

  it('check for a manual login once per second', async () => {
    rig = await SessionRig.connected({ credentials: null, verifyTtlMs: 0 });
    rig.simulator.loginByHand();
    await rig.clock.advance(999);
    expect(rig.session.status().state).toBe('disconnected');
    await rig.clock.advance(1);
    expect(rig.session.status().state).toBe('connected');
  });
});

describe('a stopped session', () => {
  it('does nothing more, even if stopped during a round', async () => {
    rig = await SessionRig.connected();
    await rig.breakWith({ kind: 'disconnected' });
    await rig.session.stop();
    rig.mend();
    rig.zero();
    await rig.clock.advance(600_000);
    expect(rig.heard).toEqual([]);
    expect(rig.session.status().state).toBe('disconnected');
  });

  it('reports the logout for the audit log', async () => {
    rig = await SessionRig.connected();
    rig.zero();
    await rig.session.stop();
    expect(rig.heard.map(({ what }) => what)).toEqual(['audit: logout 100001 (the gateway is stopping)']);
  });
});
