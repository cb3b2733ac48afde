import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('an order that never arrived, while the gateway restarts repeatedly', () => {
  let gateway: TradingGateway;
  let copy: string;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    copy = mkdtempSync(join(tmpdir(), 'gateway-copy-'));
  });
  afterEach(async () => {
    await gateway.stop();
    rmSync(copy, { recursive: true });
  });

  const runFor = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await gateway.clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  /** The next gateway finds only what is on disk at this instant; later writes of the old one are lost. */
  const crash = async (): Promise<void> => {
    cpSync(gateway.folder, copy, { recursive: true });
    await gateway.restart(() => {
      rmSync(gateway.folder, { recursive: true });
      cpSync(copy, gateway.folder, { recursive: true });
    });
  };

  it.each([
    ['every 40 seconds', 40, () => gateway.restart()],
    ['every 40 seconds by a crash', 40, crash],
    ['every 20 seconds by a crash', 20, crash],
  ])('settles as absent: %s', async (_how, seconds, restart) => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 502 });
    await restart();
    let restarts = 1;
    for (; restarts < 8 && (await gateway.statusOf('k')) === 'unknown'; restarts++) {
      await runFor(seconds);
      if ((await gateway.statusOf('k')) === 'unknown') await restart();
    }
    expect(await gateway.statusOf('k')).toBe('absent');
    expect(restarts).toBeGreaterThan(2);
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 422,
      body: { details: { reason: 'absent' } },
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
  });
});
