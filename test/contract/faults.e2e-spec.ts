import { connect } from 'node:net';
import { SystemClock } from '@libs/clock';
import {
  type LinkClient,
  type SendOutcome,
  TradeAction,
  TerminalUnavailableError,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { SessionUnavailableError } from '../../apps/gateway/src/terminal-session/session-unavailable.error';
import { TerminalSession } from '../../apps/gateway/src/terminal-session/terminal-session';
import type { ServingProcess } from './child-process';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, linkTo, ServedSimulator, startBridge } from './subjects';

const clock = new SystemClock();
const order = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1 });
const callTimeoutMs = 1_000;

/** A session in a hurry: the pauses are short, so that a test need not wait for them. */
function sessionWith(terminal: LinkClient): TerminalSession {
  const options = {
    ...{ credentials: account, reconnectAttempts: 2, reconnectBaseDelayMs: 20, cooldownMs: 50, cooldownMaxMs: 200 },
    ...{ verifyTtlMs: 100, driver: 'bridge' as const },
  };
  const session = new TerminalSession(options, terminal, clock, { log: () => undefined, warn: () => undefined });
  session.start();
  return session;
}

const send = (terminal: LinkClient): Promise<SendOutcome> => terminal.orderSend(sealRequest('intent', order));

/** Waits for a condition; the test's own deadline ends a wait without result. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await clock.sleep(10);
}

async function dealsOf(terminal: LinkClient): Promise<number> {
  return (await terminal.historyDealsGet({ from: 0, to: 4_000_000_000 })).length;
}

/** The reason of a request that is answered at once, without waiting for anything. */
function refusalOf(session: TerminalSession): string {
  try {
    void Promise.resolve(session.requireConnected()).catch(() => undefined);
    return 'let through';
  } catch (error) {
    if (!(error instanceof SessionUnavailableError)) throw error;
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    return error.reason;
  }
}

/** A request that asks the session, and a read if it is let through. */
async function request(session: TerminalSession): Promise<'answered' | 'refused' | 'failed'> {
  try {
    await (await session.requireConnected()).positionsGet();
    return 'answered';
  } catch (error) {
    session.reportFailure(error);
    if (error instanceof SessionUnavailableError) return 'refused';
    if (error instanceof TerminalUnavailableError) return 'failed';
    throw error;
  }
}

describe('a link that breaks around a send', () => {
  let simulator: ServedSimulator;
  let terminal: LinkClient;
  beforeAll(async () => {
    simulator = await ServedSimulator.start();
    terminal = linkTo(simulator.process.port);
    await terminal.connect();
    await terminal.login(account);
  });
  afterAll(async () => {
    await terminal.shutdown();
    await simulator.stop();
  });

  it('before the write: the send is refused, and nothing was done', async () => {
    const before = await dealsOf(terminal);
    const down = new Promise<void>((resolve) => {
      const unsubscribe = terminal.onLink(({ state }) => {
        if (state !== 'down') return;
        unsubscribe();
        resolve();
      });
    });
    await simulator.interrupt('lastError', 'close-before');
    await terminal.lastError().catch(() => undefined);
    await down;
    expect((await send(terminal)).kind).toBe('refused');
    await terminal.connect();
    expect(await dealsOf(terminal)).toBe(before);
  });

  it.each([
    ['after the write, before the far side acts', 'close-before', 0],
    ['after the far side acted, before its answer', 'close-after', 1],
    ['not at all, but the answer is lost', 'no-answer', 1],
  ] as const)('%s: the outcome is unknown', async (_when, how, done) => {
    const before = await dealsOf(terminal);
    await simulator.interrupt('orderSend', how);
    expect((await send(terminal)).kind).toBe('unknown');
    await terminal.connect();
    expect(await dealsOf(terminal)).toBe(before + done);
  });
});

describe('a simulator process', () => {
  it('ends cleanly when asked to, and its peers see their link go down', async () => {
    const simulator = await ServedSimulator.start();
    const terminal = linkTo(simulator.process.port);
    await terminal.connect();
    const down = new Promise((resolve) => terminal.onLink(({ state }) => resolve(state)));
    expect(await simulator.stop()).toBe(0);
    expect(await down).toBe('down');
  });
});

describeWithPython('the bridge and what may go wrong behind it (needs python3)', () => {
  let simulator: ServedSimulator;
  let bridge: ServingProcess;
  let terminal: LinkClient;
  let session: TerminalSession;
  const cleanUp = new CleanUp();
  beforeEach(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
    bridge = await startBridge(simulator);
    cleanUp.after(null, () => bridge.stop());
    terminal = linkTo(bridge.port, callTimeoutMs);
    session = sessionWith(terminal);
    cleanUp.after(null, () => session.stop());
    await until(() => session.status().state === 'connected');
  });
  afterEach(() => cleanUp.run());

  it('a bridge that is killed during a send: unknown, refusals at once, and an automatic recovery', async () => {
    await simulator.setFault({ kind: 'latency', ms: 300, calls: 'sends' });
    const sending = send(terminal);
    await clock.sleep(100);
    const { port } = bridge;
    await bridge.kill();
    expect((await sending).kind).toBe('unknown');
    await until(() => session.status().state === 'cooldown');
    expect(refusalOf(session)).toBe('cooldown');
    expect((await send(terminal)).kind).toBe('refused');
    bridge = await startBridge(simulator, { port });
    await until(() => session.status().state === 'connected');
    expect(await request(session)).toBe('answered');
    expect(session.reconnectsTotal).toBe(1);
  });

  it('a terminal that hangs: reads end by their deadline, then requests are refused at once until it moves again', async () => {
    await simulator.setFault({ kind: 'latency', ms: 2_500, calls: 'reads' });
    expect(await request(session)).toBe('failed');
    await until(async () => (await request(session)) === 'refused');
    expect(refusalOf(session)).not.toBe('let through');
    await simulator.clearFaults();
    await until(() => session.status().state === 'connected');
    expect(await request(session)).toBe('answered');
  });

  it('a terminal that restarts: refusals at once, and an automatic recovery', async () => {
    await simulator.setFault({ kind: 'disconnected' });
    // The session asks each second: it may know before the request.
    expect(['failed', 'refused']).toContain(await request(session));
    expect(['reconnecting', 'cooldown']).toContain(refusalOf(session));
    await clock.sleep(500);
    expect(['reconnecting', 'cooldown']).toContain(refusalOf(session));
    await simulator.clearFaults();
    await until(() => session.status().state === 'connected');
    expect(await request(session)).toBe('answered');
  });

  it.each([-10_001, -10_002, -10_003, -10_004, -10_005])(
    'an IPC failure %d of one read: a disconnect, and a new connection',
    async (code) => {
      await simulator.setFault({ kind: 'failed-reads', code, methods: ['positionsGet'], times: 1 });
      expect(await request(session)).toBe('failed');
      expect(session.status().lastError?.code).toBe(code);
      await until(() => session.status().state === 'connected');
      expect(session.reconnectsTotal).toBe(1);
      expect(await request(session)).toBe('answered');
    },
  );

  it('a logout: the configured account is logged in again', async () => {
    await simulator.setFault({ kind: 'logged-out' });
    await until(async () => session.reconnectsTotal === 1 || (await request(session)) === 'answered');
    await until(() => session.reconnectsTotal === 1 && session.status().state === 'connected');
    expect(session.status().account).toBe(account.login);
  });

  it('another account: a disconnect and an event, then the configured account again', async () => {
    const changed = new Promise((resolve) => session.onAccountChanged(resolve));
    await simulator.setFault({ kind: 'other-account', login: 777 });
    await until(async () => {
      await request(session);
      return session.reconnectsTotal === 1;
    });
    expect(await changed).toMatchObject({ expected: { login: account.login }, actual: { login: 777 } });
    await until(() => session.status().state === 'connected');
    expect(session.status().account).toBe(account.login);
  });

  it('a second gateway: turned away, and the first one goes on', async () => {
    const second = linkTo(bridge.port, callTimeoutMs * 5);
    await expect(second.connect()).rejects.toBeInstanceOf(TerminalUnavailableError);
    expect(await request(session)).toBe('answered');
  });

  it.each([
    ['garbage', 'GET / HTTP/1.1\r\n\r\n'],
    ['a call before the greeting', '{"jsonrpc":"2.0","id":1,"method":"orderSend","params":[]}\n'],
    ['a wrong token', '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"token":"guess","protocol":1}}\n'],
    [
      'a token that is not a text',
      '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"token":{"a":1},"protocol":1}}\n',
    ],
    ['a method that is not a text', '{"jsonrpc":"2.0","id":1,"method":[1],"params":[]}\n'],
    ['a line nested too deep', `${'['.repeat(100_000)}\n`],
    ['half a line and an end', '{"jsonrpc":"2.0","id":1,'],
  ])('a peer that sends %s: its end, and the next gateway is served', async (_what, text) => {
    await session.stop();
    const socket = connect({ port: bridge.port, host: '127.0.0.1' });
    socket.on('error', () => undefined).resume();
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve('closed')));
    if (text.endsWith('\n')) socket.write(text);
    else socket.end(text);
    expect(await closed).toBe('closed');
    session = sessionWith(terminal);
    await until(() => session.status().state === 'connected');
    expect(await request(session)).toBe('answered');
  });

  it('a supervisor that asks it to end: a clean exit without a word of complaint', async () => {
    expect(await bridge.stop()).toBe(0);
    expect(bridge.complaints.join('')).not.toMatch(/Traceback/);
  });
});
