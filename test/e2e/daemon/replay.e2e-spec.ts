import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { repository } from '../programs/started-program';
import { configuration, DaemonProgram } from './daemon-program';

const minutes = 1_500;

describe('a replay of GBPUSD prices', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('misses no bar at 3600 times the pace, and strategy, account and deals agree to the cent', async () => {
    const folder = scratch.folder();
    const files = priceFiles.map((file) => {
      const slice = join(folder, basename(file));
      writeFileSync(slice, `${readFileSync(file, 'utf8').split('\n').slice(0, minutes).join('\n')}\n`);
      return slice;
    });
    const gateway = await GatewayProgram.startReady(scratch, {
      SIM_FEED: `replay:${files.join(',')}`,
      ...fastMarket(3_600),
    });
    const module = join(repository, 'strategies/ema-cross.ts');
    const params = { fast: 5, slow: 13, volume: 0.1 };
    const config = configuration(folder, gateway.url, [
      { name: 'ema', module, magic: 41002, symbol: 'GBPUSD', more: { params } },
    ]);
    const daemon = await DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    const bars = '/fetch_data_pos?symbol=GBPUSD&timeframe=M1&num_bars=1';
    let last = '';
    await gateway.until(bars, ({ text }) => {
      const same = text === last;
      last = text;
      return same && /02-02T/.test(text);
    });
    const status = await daemon.untilStatus(
      'ema',
      (body) => body.inboundQueueDepth === 0 && body.orders.inFlight === 0,
    );
    expect(status.missedBars).toBe(0);
    expect(status.trades).toBeGreaterThan(20);
    expect(status.orders.stale).toBe(0);
    expect(status.orders).toMatchObject({ rejected: 0, denied: 0, unknown: 0 });
    const { body: account } = await gateway.call('/account');
    expect(status.realized).toBeCloseTo(Number(account['balance']) - 10_000, 6);
    const { body: history } = await gateway.call(
      '/history_deals_range?from_date=2023-01-31&to_date=2023-02-20&magic=41002',
    );
    const deals = history['data'] as { profit: number; commission: number; swap: number; fee: number }[];
    expect(deals).toHaveLength(status.trades);
    const sum = deals.reduce((total, { profit, commission, swap, fee }) => total + profit + commission + swap + fee, 0);
    expect(sum).toBeCloseTo(status.realized, 6);
  });
});
