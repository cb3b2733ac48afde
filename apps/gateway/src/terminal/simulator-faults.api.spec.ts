import { setImmediate as turn } from 'node:timers/promises';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock, VirtualClock } from '@libs/clock';
import { readFaultAddress } from '@libs/simulator';
import { LinkClient } from '@libs/terminal-client';
import { gatewayUnderTest, type GatewayUnderTest, removeFolder } from '../testing/gateway-under-test';

describe('faults of the embedded simulator', () => {
  let gateway: GatewayUnderTest;
  const addressFile = (): string => join(gateway.folder, 'state/simulator-faults.json');
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  function link(token?: string): LinkClient {
    const address = readFaultAddress(join(gateway.folder, 'state'));
    if (!address) throw new Error('the gateway wrote no address');
    return new LinkClient(
      {
        address: `127.0.0.1:${address.port}`,
        token: token ?? address.token,
        callTimeoutMs: 5_000,
        tradeTimeoutMs: 5_000,
      },
      new SystemClock(),
    );
  }

  it('cannot be set unless SIM_FAULTS allows it', async () => {
    gateway = await gatewayUnderTest();
    expect(existsSync(addressFile())).toBe(false);
  });

  it('are set over a port that only its owner can use, and affect the answers of the API', async () => {
    gateway = await gatewayUnderTest({ env: { SIM_FAULTS: '1' } });
    expect(statSync(addressFile()).mode & 0o777).toBe(0o600);
    const faults = link();
    await faults.open();
    await faults.callExtension('sim.setFault', [{ kind: 'retcode', retcode: 10_018, times: 1 }]);
    const order = { method: 'POST', url: '/order', payload: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' } } as const;
    expect((await gateway.call(order)).json()).toMatchObject({ terminal_error: { retcode: 10_018 } });
    expect((await gateway.call(order)).json()).toMatchObject({ ok: true, state: 'executed' });
    faults.close();
  });

  it('make a send wait for its answer as long as TERMINAL_TRADE_TIMEOUT_MS', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30));
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_TRADE_TIMEOUT_MS: '700' } });
    gateway.simulator.faults.set({ kind: 'lose-answer', times: 1 });
    const order = { method: 'POST', url: '/order', payload: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' } } as const;
    const timers = jest.spyOn(clock, 'setTimer');
    const answer = gateway.call(order);
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    // No virtual time passes until the send waits: the disk takes as long as it takes.
    while (!timers.mock.calls.some(([delayMs]) => delayMs === 700)) await turn();
    await clock.advance(699);
    await turn();
    expect(isAnswered).toBe(false);
    await clock.advance(1);
    expect((await answer).json()).toMatchObject({ error_type: 'unknown_outcome' });
  });

  it('are rejected by name, and the port accepts no terminal calls', async () => {
    gateway = await gatewayUnderTest({ env: { SIM_FAULTS: '1' } });
    const faults = link();
    await faults.open();
    const problem = 'the fault latency: ms must be a number';
    await expect(faults.callExtension('sim.setFault', [{ kind: 'latency' }])).rejects.toThrow(problem);
    await expect(faults.callExtension('sim.setSymbol', ['NOSUCH', {}])).rejects.toThrow('there is no symbol NOSUCH');
    await expect(faults.callExtension('sim.dropConnections', [])).rejects.toThrow('there is no such method');
    await expect(faults.connect()).rejects.toThrow('there is no such method');
    await expect(faults.accountInfo()).rejects.toThrow('there is no such method');
    faults.close();
    await expect(link('guessed').open()).rejects.toThrow('not authorised');
  });

  it('can no longer be set when the gateway has stopped', async () => {
    gateway = await gatewayUnderTest({ env: { SIM_FAULTS: '1' } });
    const faults = link();
    await gateway.stop();
    expect(existsSync(addressFile())).toBe(false);
    await expect(faults.open()).rejects.toThrow('ECONNREFUSED');
  });
});
