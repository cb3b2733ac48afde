import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayClient, type GatewayReads } from '@libs/gateway-client';
import { ContractGateway } from '../testing/contract-gateway';
import { printedBy } from '../testing/printed';
import { checkPrices } from './check-prices';
import { pullPrices, type PullOrder } from './pull-prices';

const startMs = Date.UTC(2024, 0, 9, 12);
const at = (minute: number, ms = 0) => new Date(startMs + minute * 60_000 + ms).toISOString();
const hour = 60;

describe('a pull of bars', () => {
  let gateway: ContractGateway;
  let reads: GatewayReads;
  const spans: string[] = [];

  beforeAll(async () => {
    gateway = await ContractGateway.start();
    reads = new GatewayClient({ baseUrl: gateway.url, apiKey: 'k' }).reads;
    for (const minute of [0, 1, 2, 3 * hour]) {
      const bar = { open: 1.1, high: 1.1003, low: 1.1, close: 1.1001, spread: 20, tick_volume: 3 };
      gateway.bars.push({ time: at(minute).replace('.000Z', 'Z'), time_basis: 'utc', ...bar });
    }
    const tick = (minute: number, ms: number, bid: number, ask: number) =>
      gateway.ticks.push({ time_utc: at(minute, ms), bid, ask });
    tick(0, 100, 1.1, 1.1001);
    tick(0, 200, 1.1003, 1.1009);
    tick(0, 59_999, 1.1001, 1.1004);
    // Its high is missing.
    tick(1, 0, 1.1, 1.1001);
    tick(1, 500, 1.1001, 1.1004);
    Object.assign(gateway.tick, { time_utc: at(4 * hour) });
    gateway.beforeAnswer = (url) => {
      if (url.pathname === '/copy_ticks_range') spans.push(url.searchParams.get('from_date') ?? '');
      return Promise.resolve();
    };
  });
  afterAll(() => gateway.stop());

  const pulled = (order: Partial<PullOrder> = {}) =>
    pullPrices(
      reads,
      {
        ...{ symbol: 'EURUSD', kind: 'bars', fromMs: startMs, toMs: null },
        ...{ folder: mkdtempSync(join(tmpdir(), 'pull-')), ...order },
      },
      () => undefined,
    );
  const pricesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n').slice(1).map(cellsOf);
  const cellsOf = (line: string) => line.split(',').slice(1).join(' ');
  const spread = '1.10020 1.10050 1.10020 1.10030';

  it('adds the spread of each bar to its bids, and reads no ticks', async () => {
    const { files, added, fromTicks } = await pulled();
    expect([added, fromTicks, spans]).toEqual([4, null, []]);
    expect(pricesOf(files[1] ?? '')).toEqual([spread, spread, spread, spread]);
  });

  it('takes the asks of ticks where they make the bar, and names the file so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pull-'));
    const { files, added, fromTicks } = await pulled({ asks: 'ticks', folder });
    expect([added, fromTicks]).toEqual([4, 1]);
    expect(files[1]).toMatch(/eurusd-m1-ask-from-ticks\.csv$/);
    expect(pricesOf(files[1] ?? '')).toEqual(['1.10010 1.10090 1.10010 1.10040', spread, spread, spread]);
    expect(checkPrices(files).every(({ isSound }) => isSound)).toBe(true);
    // Hours without bars are not read.
    expect(spans.map((time) => Date.parse(time) - startMs)).toEqual([0, 3 * hour * 60_000]);
    await expect(pulled({ folder })).rejects.toThrow('describes prices of another origin');
  });

  it('is asked for on the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pull-'));
    const config = join(folder, 'daemon.yaml');
    writeFileSync(config, JSON.stringify({ gateways: { demo: { url: gateway.url, apiKeyEnv: 'PULL_KEY' } } }));
    process.env['PULL_KEY'] = 'k';
    const command = (market: string, ...args: readonly string[]) =>
      printedBy('data', 'pull', market, '--config', config, '--from', at(0), '--store', join(folder, 'p'), ...args);
    expect(await command('demo:EURUSD@M1', '--asks', 'ticks')).toContain(
      'added 4 bars of EURUSD, 1 of them with the asks',
    );
    await expect(command('demo:EURUSD@M1', '--asks', 'last')).rejects.toThrow(
      '--asks must be spread or ticks, not last',
    );
    await expect(command('demo:EURUSD', '--asks', 'ticks', '--ticks')).rejects.toThrow('--asks is for bars');
    delete process.env['PULL_KEY'];
  });
});
