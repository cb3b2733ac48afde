import { tradeRequest } from '@libs/terminal-client';
import fc from 'fast-check';
import { rawClient, type RawPeer } from '../../libs/terminal-client/src/link/testing/raw-peer';
import type { ServingProcess } from './child-process';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, linkTo, ServedSimulator, startBridge, token } from './subjects';
import { effort } from '../setup/effort';

const buy = tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1, comment: 'once' });
const hello = { id: 1, method: 'hello', params: { token, protocol: 1 } };

let simulator: ServedSimulator;
let bridge: ServingProcess;
const cleanUp = new CleanUp();

describeWithPython('the lane of the bridge to the package process (needs python3)', () => {
  beforeAll(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
    bridge = cleanUp.after(await startBridge(simulator), (started) => started.stop());
    const terminal = linkTo(bridge.port);
    await terminal.connect();
    await terminal.login(account);
    await terminal.shutdown();
  });
  afterAll(() => cleanUp.run());
  afterEach(() => simulator.clearFaults());

  async function attached(): Promise<RawPeer> {
    const peer = await rawClient(bridge.port);
    peer.say(hello);
    expect(await peer.next()).toMatchObject({ id: 1, result: { driver: 'bridge' } });
    peer.say({ id: 2, method: 'connect', params: [] });
    expect(await peer.next()).toMatchObject({ id: 2, result: null });
    return peer;
  }

  async function positions(peer: RawPeer): Promise<number> {
    peer.say({ id: 900, method: 'positionsGet', params: [] });
    return ((await peer.next())?.result as unknown[]).length;
  }

  async function leave(peer: RawPeer): Promise<void> {
    peer.socket.end();
    await peer.closed;
  }

  it('lets a send overtake the reads that wait, and answers pings past them all', async () => {
    const peer = await attached();
    const before = await positions(peer);
    await simulator.setFault({ kind: 'latency', ms: 200, calls: 'reads' });
    for (const id of [3, 4, 5]) peer.say({ id, method: 'terminalInfo', params: [] });
    peer.say({ id: 6, method: 'orderSend', params: ['intent', buy, 20_000] });
    peer.say({ id: 7, method: 'ping', params: [] });
    const order: (number | null | undefined)[] = [];
    while (order.length < 5) order.push((await peer.next())?.id);
    expect(order).toEqual([7, 3, 6, 4, 5]);
    await simulator.clearFaults();
    expect(await positions(peer)).toBe(before + 1);
    await leave(peer);
  });

  it('never begins a send whose deadline passed while it waited', async () => {
    const peer = await attached();
    const before = await positions(peer);
    await simulator.setFault({ kind: 'latency', ms: 300, calls: 'reads' });
    peer.say({ id: 3, method: 'terminalInfo', params: [] });
    peer.say({ id: 4, method: 'orderSend', params: ['intent', buy, 100] });
    expect(await peer.next()).toMatchObject({ id: 4, error: { data: { kind: 'refused' } } });
    expect(await peer.next()).toMatchObject({ id: 3 });
    await simulator.clearFaults();
    expect(await positions(peer)).toBe(before);
    await leave(peer);
  });

  it('never makes the send of a gateway that left while it waited', async () => {
    const peer = await attached();
    const before = await positions(peer);
    await simulator.setFault({ kind: 'latency', ms: 300, calls: 'reads' });
    peer.say({ id: 3, method: 'terminalInfo', params: [] });
    peer.say({ id: 4, method: 'orderSend', params: ['intent', buy, 20_000] });
    peer.say({ id: 5, method: 'ping', params: [] });
    expect(await peer.next()).toMatchObject({ id: 5 });
    await leave(peer);
    await simulator.clearFaults();
    const next = await attached();
    expect(await positions(next)).toBe(before);
    await leave(next);
  });

  it('turns reads away at once when too many wait', async () => {
    const peer = await attached();
    await simulator.setFault({ kind: 'latency', ms: 500, calls: 'reads' });
    for (let id = 3; id < 303; id++) peer.say({ id, method: 'terminalInfo', params: [] });
    expect(await peer.next()).toMatchObject({ error: { data: { kind: 'busy' } } });
    await simulator.clearFaults();
    let answered = 0;
    for (let rest = 1; rest < 300; rest++) answered += (await peer.next())?.error ? 0 : 1;
    expect([256, 257]).toContain(answered);
    await leave(peer);
  });

  it('refuses a request that lacks a field before the package sees it', async () => {
    const peer = await attached();
    peer.say({ id: 3, method: 'orderSend', params: ['intent', { ...buy, volume: undefined }, 20_000] });
    expect(await peer.next()).toMatchObject({ id: 3, result: { kind: 'refused', lastError: { code: -2 } } });
    await leave(peer);
  });

  it('survives calls that make no sense, and answers each', async () => {
    const peer = await attached();
    const methods = [
      'orderSend',
      'ticks',
      'login',
      'copyRatesFromPos',
      'orderCheck',
      'historyDealsGet',
      '__init__',
      'failure',
      '_columns',
    ];
    let id = 1_000;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        async (method, params) => {
          id += 1;
          peer.say({ id, method, params });
          expect((await peer.next())?.id).toBe(id);
        },
      ),
      { numRuns: effort(100, 1_000) },
    );
    expect(await positions(peer)).toBeGreaterThanOrEqual(0);
    await leave(peer);
  });

  it('understands a conversation however the network chops it', async () => {
    const calls = [
      hello,
      { id: 2, method: 'connect', params: [] },
      { id: 3, method: 'symbolInfo', params: ['Ünknown €'] },
    ];
    const bytes = Buffer.from(calls.map((call) => `${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`).join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (cuts) => {
        const peer = await rawClient(bridge.port);
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, end] of edges.slice(1).entries()) {
          peer.socket.write(bytes.subarray(edges[index], end));
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        const answers = [await peer.next(), await peer.next(), await peer.next()];
        expect(answers.map((answer) => [answer?.id, answer?.result])).toEqual([
          [1, expect.objectContaining({ driver: 'bridge' })],
          [2, null],
          [3, null],
        ]);
        await leave(peer);
      }),
      { numRuns: effort(15, 150) },
    );
  });
});

describeWithPython('a bridge that the host has started (needs python3)', () => {
  it('attaches to the configured portable terminal, and to no other', async () => {
    const served = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
    const terminalPath = 'C:\\Program Files\\MetaTrader 5\\terminal64.exe';
    const started = cleanUp.after(await startBridge(served, { terminalPath }), (process) => process.stop());
    const terminal = linkTo(started.port);
    await terminal.connect();
    await terminal.login(account);
    const folder = 'C:\\Program Files\\MetaTrader 5';
    expect(await terminal.terminalInfo()).toMatchObject({ path: folder, data_path: folder });
    await terminal.shutdown();
    await cleanUp.run();
  });
});
