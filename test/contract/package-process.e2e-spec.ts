import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
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
  });
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

/** The answers of the package process to reads that return these values, and to a send of these requests, in Python's notation. */
function answers(reads: readonly string[], sends: readonly string[] = []): unknown[] {
  const script = `
import json, sys
sys.argv[1:] = []
import package_process
from terminal import Terminal
def say(method, params):
    print(package_process.run(terminal, method, params)[1].decode())
terminal = Terminal(None, False, False)
for value in [${reads.join()}]:
    Terminal.positionsGet = lambda self, value=value: value
    say("positionsGet", [])
for request in [${sends.join()}]:
    say("orderSend", ["intent", request, 1000])
`;
  const folders = [resolve(__dirname, '../../bridge'), resolve(__dirname, '../fake-mt5')];
  const env = { PATH: process.env['PATH'], PYTHONPATH: folders.join(':'), FAKE_MT5_NUMPY: '0' };
  const lines = execFileSync('python3', ['-B', '-c', script], { encoding: 'utf8', env }).trim().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

describeWithPython('whole numbers of the package beyond those of a double (needs python3)', () => {
  const failure = (name: string, value: string) => ({
    code: -1,
    message: `${name} is ${value}; integers beyond 9007199254740991 cannot be passed on exactly`,
    data: { kind: 'failed' },
  });

  it('fail the call that returned them, by name, and exact ones pass', () => {
    const largest = '9007199254740991';
    expect(
      answers([
        `[{"ticket": ${largest}, "magic": -${largest}, "profit": 1e300, "price": 0.1234567890123456}]`,
        `[{"ticket": 7}, {"ticket": 8, "magic": 2 ** 60 + 1}]`,
        `{"time": [1, 2], "real_volume": [5, 9007199254740992]}`,
        '-(2 ** 63)',
      ]),
    ).toEqual([
      [{ ticket: Number(largest), magic: -Number(largest), profit: 1e300, price: 0.1234567890123456 }],
      failure('magic', '1152921504606846977'),
      failure('real_volume', '9007199254740992'),
      failure('the answer', '-9223372036854775808'),
    ]);
  });

  it('and fractions of them are never sent', () => {
    const request = JSON.stringify(buy);
    const changed = (field: string, value: string): string => `{**${request}, "${field}": ${value}}`;
    const sent = answers(
      [],
      [
        changed('magic', '2 ** 53'),
        changed('position', '7.5'),
        changed('order', '1e16'),
        changed('magic', 'True'),
        changed('magic', '9007199254740991.0'),
      ],
    );
    const refused = { kind: 'refused', lastError: { code: -2, message: expect.stringContaining('Invalid params: ') } };
    // The last one passes this check; there is no terminal to send it to.
    expect(sent).toEqual([
      refused,
      refused,
      refused,
      refused,
      expect.objectContaining({ lastError: expect.objectContaining({ code: -10_004 }) }),
    ]);
  });
});
