import { type LinkClient, LastErrorCode, tradeRequest, TerminalUnavailableError } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { rawClient } from '../../libs/terminal-client/src/link/testing/raw-peer';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, linkTo, ServedSimulator, startBridge, token } from './subjects';

const order = tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1 });

describeWithPython('how the bridge reports the codes of the package (needs python3)', () => {
  let simulator: ServedSimulator;
  const cleanUp = new CleanUp();
  beforeEach(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
  });
  afterEach(() => cleanUp.run());

  async function bridge(options?: Parameters<typeof startBridge>[1]): Promise<{ terminal: LinkClient; port: number }> {
    const { port } = cleanUp.after(await startBridge(simulator, options), (started) => started.stop());
    return { terminal: linkTo(port), port };
  }

  function failureOf(call: Promise<unknown>): Promise<unknown> {
    return call.then(
      () => null,
      (error: unknown) => error,
    );
  }

  it('a send that the terminal closes to programs: refused with -8', async () => {
    const { terminal } = await bridge();
    await terminal.connect();
    await terminal.login(account);
    await simulator.setFault({ kind: 'trading-off', by: 'api' });
    expect(await terminal.orderSend(sealRequest('intent', order))).toMatchObject({
      kind: 'refused',
      lastError: { code: LastErrorCode.AUTO_TRADING_DISABLED },
    });
    await terminal.shutdown();
  });

  it('a send without a connection to the terminal: refused with -10004', async () => {
    const { port } = await bridge();
    const peer = await rawClient(port);
    cleanUp.after(peer, async ({ socket }) => void socket.destroy());
    peer.say({ id: 1, method: 'hello', params: { token, protocol: 1 } });
    await peer.next();
    peer.say({ id: 2, method: 'orderSend', params: ['intent', order, 20_000] });
    expect(await peer.next()).toMatchObject({ id: 2, result: { kind: 'refused', lastError: { code: -10_004 } } });
  });

  it('a whole number out of range, which raises SystemError: a send is refused, a read fails with -2', async () => {
    const { terminal } = await bridge();
    await terminal.connect();
    await terminal.login(account);
    expect(await terminal.orderSend(sealRequest('intent', { ...order, magic: -1 }))).toMatchObject({
      kind: 'refused',
      lastError: { code: LastErrorCode.INVALID_PARAMS },
    });
    const failure = await failureOf(terminal.positionsGet({ ticket: -1 }));
    expect(failure).toMatchObject({ failure: 'failed', lastError: { code: LastErrorCode.INVALID_PARAMS } });
    await terminal.shutdown();
  });

  it('an error of an earlier call proves nothing about a send that raises: unknown', async () => {
    const { terminal } = await bridge({ raisesAfterSend: true });
    await terminal.connect();
    await terminal.login(account);
    await failureOf(terminal.positionsGet({ ticket: -1 }));
    expect(await terminal.lastError()).toMatchObject({ code: LastErrorCode.INVALID_PARAMS });
    expect(await terminal.orderSend(sealRequest('intent', order))).toMatchObject({ kind: 'unknown' });
    expect(await terminal.positionsGet()).toHaveLength(1);
    await terminal.shutdown();
  });

  it('two sends with a whole number out of range and a read between them: both refused with -2', async () => {
    const { terminal } = await bridge();
    await terminal.connect();
    await terminal.login(account);
    const refused = { kind: 'refused', lastError: { code: LastErrorCode.INVALID_PARAMS } };
    expect(await terminal.orderSend(sealRequest('intent', { ...order, magic: -1 }))).toMatchObject(refused);
    await terminal.accountInfo();
    expect(await terminal.orderSend(sealRequest('intent', { ...order, magic: -1 }))).toMatchObject(refused);
    await terminal.shutdown();
  });

  it('symbols without a connection, which the package answers with -5: disconnected with -10004', async () => {
    const { terminal } = await bridge();
    await terminal.connect();
    await terminal.login(account);
    await simulator.interrupt('symbolInfoTick', 'close-before');
    await failureOf(terminal.symbolInfoTick('EURUSD'));
    const failure = await failureOf(terminal.symbolsGet());
    expect(failure).toMatchObject({ failure: 'disconnected', lastError: { code: -10_004 } });
    await terminal.shutdown();
  });

  it('a terminal that does not match the package: connecting fails and names the mismatch', async () => {
    const { terminal } = await bridge({ isMismatched: true });
    const failure = await failureOf(terminal.connect());
    expect(failure).toBeInstanceOf(TerminalUnavailableError);
    expect(failure).toMatchObject({
      failure: 'disconnected',
      lastError: {
        code: LastErrorCode.INVALID_VERSION,
        message: expect.stringContaining('The terminal and the MetaTrader5 package do not match'),
      },
    });
    await terminal.shutdown();
  });
});
