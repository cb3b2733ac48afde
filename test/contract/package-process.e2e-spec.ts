import { execFileSync } from 'node:child_process';
import { tradeRequest } from '@libs/terminal-client';
import { rawClient, type RawPeer } from '../../libs/terminal-client/src/link/testing/raw-peer';
import type { ServingProcess } from './child-process';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, ServedSimulator, startBridge, token } from './subjects';

const buy = tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1 });
const aMinute = 60_000;

/** The stand-in holds the interpreter lock while it waits, as the genuine package does. */
describeWithPython('a package that holds the interpreter lock during a call (needs python3)', () => {
  let simulator: ServedSimulator;
  let bridge: ServingProcess;
  let peer: RawPeer;
  const cleanUp = new CleanUp();

  beforeEach(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
    bridge = cleanUp.after(await startBridge(simulator, { hangSeconds: 4 }), (started) => started.stop());
    peer = await rawClient(bridge.port);
    cleanUp.after(peer, async ({ socket }) => void socket.destroy());
    await greet();
    await attach(2);
  }, 60_000);
  afterEach(() => cleanUp.run());

  async function greet(): Promise<void> {
    peer.say({ id: 1, method: 'hello', params: { token, protocol: 1 } });
    expect(await peer.next()).toMatchObject({ id: 1 });
  }

  async function attach(id: number): Promise<void> {
    peer.say({ id, method: 'connect', params: [] });
    expect(await peer.next()).toMatchObject({ id, result: null });
    peer.say({ id: id + 1, method: 'login', params: [account] });
    expect(await peer.next()).toMatchObject({ id: id + 1, result: true });
  }

  async function positions(id: number): Promise<number> {
    peer.say({ id, method: 'positionsGet', params: [] });
    const answer = await peer.next();
    expect(answer).toMatchObject({ id });
    return (answer?.result as unknown[]).length;
  }

  function packageProcess(): number {
    const children = execFileSync('pgrep', ['-f', 'package_process.py', '-P', String(bridge.pid)], {
      encoding: 'utf8',
    });
    return Number(children.trim());
  }

  it('leaves the link awake: pings are answered, and reads are rejected as busy by the call that runs', async () => {
    await simulator.setFault({ kind: 'latency', ms: 3_000, calls: 'sends' });
    peer.say({ id: 10, method: 'orderSend', params: ['intent', buy, aMinute] });
    peer.say({ id: 11, method: 'ping', params: [] });
    expect(await peer.next()).toMatchObject({ id: 11, result: 'pong' });
    peer.say({ id: 12, method: 'positionsGet', params: [] });
    const busy = await peer.next();
    expect(busy).toMatchObject({ id: 12, error: { data: { kind: 'busy' } } });
    expect(busy?.error?.message).toMatch(/^the terminal is busy: orderSend has been running for \d+\.\d s$/);
    peer.say({ id: 13, method: 'accountInfo', params: [] });
    expect(await peer.next()).toMatchObject({ id: 13, error: { data: { kind: 'busy' } } });
    expect(await peer.next()).toMatchObject({ id: 10, result: { kind: 'answered', result: { retcode: 10_009 } } });
    expect(await positions(14)).toBe(1);
  });

  it('never makes a send that waited too long behind it, and says so before the deadline of that send', async () => {
    await simulator.setFault({ kind: 'latency', ms: 2_000, calls: 'sends' });
    peer.say({ id: 10, method: 'orderSend', params: ['first', buy, aMinute] });
    peer.say({ id: 11, method: 'orderSend', params: ['second', buy, 1_000] });
    expect(await peer.next()).toMatchObject({ id: 11, error: { data: { kind: 'refused' } } });
    expect(await peer.next()).toMatchObject({ id: 10, result: { kind: 'answered' } });
    expect(await positions(12)).toBe(1);
  });

  it('is ended after the stated time: the send is unknown, what waits was never sent, and another process serves', async () => {
    await simulator.setFault({ kind: 'latency', ms: 300_000, calls: 'sends' });
    peer.say({ id: 10, method: 'orderSend', params: ['first', buy, 1_000] });
    peer.say({ id: 11, method: 'orderSend', params: ['second', buy, aMinute] });
    expect(await peer.next()).toMatchObject({
      id: 10,
      result: {
        kind: 'unknown',
        reason: 'orderSend did not return within 4 s; the package process was ended',
        lastError: { code: -10_002 },
      },
    });
    expect(await peer.next()).toMatchObject({ id: 11, error: { code: -10_004, data: { kind: 'refused' } } });
    expect(await peer.next()).toMatchObject({ method: 'connection', params: { state: 'down' } });
    await simulator.clearFaults();
    await attach(12);
    expect(await positions(14)).toBe(0);
  });

  it('may die at any time: the next call is not made, the gateway gets a report, and another process serves', async () => {
    const first = packageProcess();
    process.kill(first, 'SIGKILL');
    peer.say({ id: 10, method: 'orderSend', params: ['intent', buy, aMinute] });
    const answer = await peer.next();
    expect(answer).toMatchObject({ id: 10 });
    expect(await peer.next()).toMatchObject({ method: 'connection', params: { state: 'down' } });
    await attach(11);
    expect(packageProcess()).not.toBe(first);
    expect(await positions(13)).toBe(0);
  });

  it('ends with the bridge, also with one that is killed', async () => {
    const left = packageProcess();
    await bridge.kill();
    const lives = (): boolean => {
      try {
        return process.kill(left, 0);
      } catch {
        return false;
      }
    };
    while (lives()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(lives()).toBe(false);
  });
});
