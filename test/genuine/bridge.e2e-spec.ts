import { spawnSync } from 'node:child_process';
import { type LinkClient, LastErrorCode, Timeframe, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { rawClient, type RawPeer } from '../../libs/terminal-client/src/link/testing/raw-peer';
import type { ServingProcess } from '../contract/child-process';
import { CleanUp } from '../contract/clean-up';
import { account, linkTo, token } from '../contract/subjects';
import { describeWithGenuineParts, genuinePython } from './genuine-python';
import { bridgeScript, startedBridge } from './started-bridge';
import { StandInTerminal, until } from './stand-in-terminal';
import { WinePrefix } from './wine-prefix';

const order = tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1 });

describeWithGenuineParts('The bridge on the genuine package (needs wine, mvn, mingw-w64)', () => {
  let python: string;
  let prefix: WinePrefix;
  const cleanUp = new CleanUp();

  beforeAll(() => {
    python = genuinePython();
    prefix = new WinePrefix();
  });
  afterEach(() => cleanUp.run());
  afterAll(() => prefix.remove());

  const bridge = (...options: string[]): Promise<ServingProcess> => startedBridge({ python, prefix, cleanUp }, options);

  function linked(to: ServingProcess): LinkClient {
    return cleanUp.after(linkTo(to.port, 20_000), (terminal) => terminal.shutdown());
  }

  async function greeted(serving: ServingProcess): Promise<RawPeer> {
    const peer = await rawClient(serving.port);
    cleanUp.after(peer, async ({ socket }) => void socket.destroy());
    peer.say({ id: 1, method: 'hello', params: { token, protocol: 1 } });
    expect(await peer.next()).toMatchObject({ id: 1, result: { driver: 'bridge' } });
    return peer;
  }

  function failureOf(call: Promise<unknown>): Promise<unknown> {
    return call.then(
      (value) => value,
      (error: unknown) => error,
    );
  }

  const disconnected = (code: number): unknown =>
    expect.objectContaining({ failure: 'disconnected', lastError: { code, message: expect.any(String) } });

  describe('without a terminal', () => {
    it('answers every call of the port', async () => {
      const terminal = linked(await bridge());
      expect(await failureOf(terminal.connect())).toEqual(disconnected(LastErrorCode.INTERNAL_FAIL_INIT));
      const noConnection = disconnected(LastErrorCode.INTERNAL_FAIL_CONNECT);
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        login: () => terminal.login(account),
        terminalInfo: () => terminal.terminalInfo(),
        accountInfo: () => terminal.accountInfo(),
        symbolsGet: () => terminal.symbolsGet(),
        symbolsOfGroup: () => terminal.symbolsGet('*USD*'),
        symbolInfo: () => terminal.symbolInfo('EURUSD'),
        symbolSelect: () => terminal.symbolSelect('EURUSD', true),
        symbolInfoTick: () => terminal.symbolInfoTick('EURUSD'),
        ticks: () => terminal.ticks(['EURUSD', 'USDJPY']),
        copyRatesFromPos: () => terminal.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 10),
        copyRatesRange: () => terminal.copyRatesRange('EURUSD', Timeframe.M1, 0, 4_000_000_000),
        copyTicksRange: () => terminal.copyTicksRange('EURUSD', 0, 4_000_000_000_000, -1),
        positionsGet: () => terminal.positionsGet(),
        positionOfTicket: () => terminal.positionsGet({ ticket: 1 }),
        ordersGet: () => terminal.ordersGet({ symbol: 'EURUSD' }),
        historyOrdersGet: () => terminal.historyOrdersGet({ from: 0, to: 4_000_000_000 }),
        historyDealsGet: () => terminal.historyDealsGet({ position: 1 }),
        orderCheck: () => terminal.orderCheck(order),
        orderCalcMargin: () => terminal.orderCalcMargin(0, 'EURUSD', 1, 1.1),
        orderCalcProfit: () => terminal.orderCalcProfit(0, 'EURUSD', 1, 1.1, 1.2),
      };
      const answers: Record<string, unknown> = {};
      for (const [name, call] of Object.entries(calls)) answers[name] = await failureOf(call());
      expect(answers).toEqual(Object.fromEntries(Object.keys(calls).map((name) => [name, noConnection])));
      expect((await terminal.lastError()).code).toBe(LastErrorCode.INTERNAL_FAIL_CONNECT);
      expect(await terminal.orderSend(sealRequest('intent', order))).toMatchObject({
        kind: 'refused',
        lastError: { code: LastErrorCode.INTERNAL_FAIL_CONNECT },
      });
    });

    it('answers invalid arguments with an error each, and goes on', async () => {
      const serving = await bridge();
      const peer = await greeted(serving);
      let id = 1;
      const call = async (method: string, params: unknown) => {
        peer.say({ id: ++id, method, params });
        return peer.next();
      };
      const methods = [
        ...[
          'connect',
          'login',
          'terminalInfo',
          'accountInfo',
          'symbolsGet',
          'symbolInfo',
          'symbolSelect',
          'symbolInfoTick',
        ],
        ...['ticks', 'copyRatesFromPos', 'copyRatesRange', 'copyTicksRange', 'positionsGet', 'ordersGet'],
        ...['historyOrdersGet', 'historyDealsGet', 'orderCheck', 'orderCalcMargin', 'orderCalcProfit'],
      ];
      const nonsense: readonly (readonly unknown[])[] = [
        [],
        [null],
        [-1],
        [2 ** 62, 2 ** 62, 2 ** 62, 2 ** 62],
        ['x'.repeat(5_000), 'y', 'z', null],
        ['EURUSD', -1, -1, -1],
        [{ from: 'a', to: {} }],
        [{ ticket: -1 }],
        [{ ticket: 'x', symbol: 5, group: [] }],
        [{ login: -1, password: 'p', server: 's' }],
        [[], {}, [], {}, []],
        [1, 2, 3, 4, 5, 6, 7, 8],
        ['\ud83d\ude00\u0000', true, false, 1.5],
      ];
      const unexpected: unknown[] = [];
      for (const method of methods)
        for (const params of nonsense) {
          const answer = await call(method, params);
          // An error, or no value: nothing that looks like data.
          const isRefusal = answer?.error !== undefined || answer?.result === null || answer?.result === false;
          if (answer?.id !== id || !isRefusal) unexpected.push([method, params, answer]);
        }
      expect(unexpected).toEqual([]);
      const requests: readonly unknown[] = [
        {},
        { ...order, magic: -1 },
        { ...order, action: 2 ** 40 },
        { ...order, comment: 'x'.repeat(30) },
        { ...order, symbol: 'x'.repeat(30) },
        { ...order, volume: 'much' },
        { ...order, volume: {} },
        { ...order, position: 2 ** 53, order: -(2 ** 53) },
      ];
      for (const request of requests)
        expect([request, await call('orderSend', ['intent', request, 10_000])]).toEqual([
          request,
          expect.objectContaining({
            id,
            result: { kind: 'refused', lastError: { code: LastErrorCode.INVALID_PARAMS, message: expect.any(String) } },
          }),
        ]);
      peer.say({ id: 9_999, method: 'ping', params: [] });
      expect(await peer.next()).toMatchObject({ id: 9_999, result: 'pong' });
      const complaints = serving.complaints.join('');
      expect(complaints).not.toContain('starting another one');
      // The package process has standard error of its own kind under Wine: its lines come through.
      expect(complaints).toContain('mt5-bridge: symbolInfo failed: ');
    });

    it('keeps what is printed to standard output out of the answers', () => {
      const noisy = `
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
sys.argv[1:] = []
import package_process
def lastError(self):
    os.write(1, b"written\\n")
    print("printed", flush=True)
    return {}
package_process.Terminal.lastError = lastError
package_process.main()
`;
      const call = `${JSON.stringify({ method: 'lastError', params: [] })}\n`;
      const { stdout, stderr } = spawnSync('wine', [python, '-B', '-c', noisy, bridgeScript], {
        env: { ...prefix.env },
        input: call + call,
        encoding: 'utf8',
      });
      const answer = '{"ok":true,"build":0,"login":null}\t{}';
      expect(stdout.split('\n').slice(1)).toEqual([answer, answer, '']);
      expect(stderr.split(/\r?\n/).filter((line) => /written|printed/.test(line))).toHaveLength(4);
    });
  });

  describe('with a process that is a terminal by its name only', () => {
    let standIn: StandInTerminal;
    const launches = (): string[] => standIn.notes();

    beforeAll(() => {
      standIn = new StandInTerminal(prefix);
    });
    beforeEach(() => standIn.reset());

    async function startTerminal(withPipe: boolean): Promise<void> {
      cleanUp.after(await standIn.start({ withPipe }), (end) => end());
    }

    it('is not attached to while it has no pipe, and no second one is started', async () => {
      await startTerminal(false);
      const terminal = linked(await bridge('--terminal', standIn.program));
      for (let attempt = 0; attempt < 3; attempt++)
        expect(await failureOf(terminal.connect())).toEqual(disconnected(LastErrorCode.INTERNAL_FAIL_INIT));
      expect(launches()).toHaveLength(1);
    });

    it('is attached to when it has opened its pipe, by the very name that the package opens', async () => {
      await startTerminal(true);
      const peer = await greeted(await bridge('--terminal', standIn.program.toUpperCase()));
      peer.say({ id: 2, method: 'connect', params: [] });
      await until(() => launches().includes('the pipe has a client'));
      expect(launches()).toHaveLength(2);
    });

    it('never breaks the link when initialize() waits for it: the package process is ended, and another one serves', async () => {
      const serving = await bridge('--terminal', standIn.program, '--start-terminal', '--hang-seconds', '12');
      const peer = await greeted(serving);
      peer.say({ id: 2, method: 'connect', params: [] });
      await until(() => launches().length === 1);
      for (let id = 100; id < 103; id++) {
        peer.say({ id, method: 'ping', params: [] });
        expect(await peer.next()).toMatchObject({ id, result: 'pong' });
        await new Promise((done) => setTimeout(done, 1_000));
      }
      peer.say({ id: 3, method: 'positionsGet', params: [] });
      expect(await peer.next()).toMatchObject({ id: 3, error: { data: { kind: 'busy' } } });
      const reason = 'connect did not return within 12 s; the package process was ended';
      expect(await peer.next()).toMatchObject({ id: 2, error: { message: reason, data: { kind: 'disconnected' } } });
      expect(await peer.next()).toMatchObject({ method: 'connection', params: { state: 'down', reason } });
      let id = 10;
      for (let answer = await accountInfo(); answer?.error?.data?.kind === 'busy';) answer = await accountInfo();
      expect(await accountInfo()).toMatchObject({ error: { code: LastErrorCode.INTERNAL_FAIL_CONNECT } });

      async function accountInfo() {
        peer.say({ id: ++id, method: 'accountInfo', params: [] });
        return peer.next();
      }
    });
  });
});
