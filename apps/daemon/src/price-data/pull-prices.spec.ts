import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const choices: (readonly string[])[] = [];
  beforeEach(() => [spans, choices].forEach((list) => list.splice(0)));

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
    // Not the bids of its bar.
    tick(3 * hour, 0, 1.2, 1.2001);
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
      { chose: (...choice) => void choices.push(choice), reached: () => undefined },
    );
  const pricesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n').slice(1).map(cellsOf);
  const cellsOf = (line: string) => line.split(',').slice(1).join(' ');
  const spread = '1.10020 1.10050 1.10020 1.10030';

  it('adds the spread of each bar to its bids, and reads no ticks', async () => {
    const { files, added, fromTicks } = await pulled({ asks: 'spread' });
    expect([added, fromTicks, spans, choices]).toEqual([4, null, [], []]);
    expect(files[1]).toMatch(/eurusd-m1-ask-from-spread\.csv$/);
    expect(pricesOf(files[1] ?? '')).toEqual([spread, spread, spread, spread]);
  });

  it('takes the asks of ticks where they make the bar, and names the file so', async () => {
    const { files, added, asks, fromTicks } = await pulled();
    expect([added, asks, fromTicks, choices]).toEqual([4, 'ticks', 1, [['ticks', 'new store']]]);
    expect(files[1]).toMatch(/eurusd-m1-ask-from-ticks\.csv$/);
    expect(pricesOf(files[1] ?? '')).toEqual(['1.10010 1.10090 1.10010 1.10040', spread, spread, spread]);
    expect(checkPrices(files).every(({ isSound }) => isSound)).toBe(true);
    // Hours without bars are not read.
    expect(spans.map((time) => Date.parse(time) - startMs)).toEqual([3 * hour * 60_000, 0]);
  });

  it('reads one hour of a day whose ticks the broker has dropped', async () => {
    const kept = gateway.ticks.splice(0);
    const { fromTicks, files } = await pulled({ asks: 'ticks' });
    gateway.ticks.push(...kept);
    expect([fromTicks, spans.length]).toEqual([0, 1]);
    expect(pricesOf(files[1] ?? '')).toEqual([spread, spread, spread, spread]);
  });

  it.each(['spread', 'ticks'] as const)('continues a store with asks from %s, and never mixes two', async (asks) => {
    const folder = mkdtempSync(join(tmpdir(), 'pull-'));
    await pulled({ folder, asks, toMs: startMs + 120_000 });
    const more = await pulled({ folder });
    expect([more.added, more.asks, choices]).toEqual([2, asks, [[asks, 'kept']]]);
    expect(pricesOf(more.files[1] ?? '')).toEqual((await pulled({ asks })).files.slice(1).flatMap(pricesOf));
    const files = readdirSync(folder).sort();
    const other = asks === 'ticks' ? 'spread' : 'ticks';
    await expect(pulled({ folder, asks: other })).rejects.toThrow(`continue them with --asks ${asks}, or use another`);
    expect(readdirSync(folder).sort()).toEqual(files);
    // Without its description, a store is known by the name of its file.
    rmSync(join(folder, 'eurusd-bars.json'));
    await expect(pulled({ folder, asks: other })).rejects.toThrow(`continue them with --asks ${asks}, or use another`);
    expect(await pulled({ folder })).toMatchObject({ added: 0, asks });
  });

  it('is asked for on the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pull-'));
    const config = join(folder, 'daemon.yaml');
    writeFileSync(config, JSON.stringify({ gateways: { demo: { url: gateway.url, apiKeyEnv: 'PULL_KEY' } } }));
    process.env['PULL_KEY'] = 'k';
    const commandIn = (store: string, market: string, ...args: readonly string[]) =>
      printedBy('data', 'pull', market, '--config', config, '--from', at(0), '--store', join(folder, store), ...args);
    const command = (market: string, ...args: readonly string[]) => commandIn('p', market, ...args);
    const said: string[] = [];
    const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    expect(await command('demo:EURUSD@M1')).toContain('added 4 bars of EURUSD, 1 of them with the asks of their ticks');
    expect(said).toEqual([expect.stringContaining('a request for each hour; --asks spread reads bars alone')]);
    said.length = 0;
    const cheap = (...args: readonly string[]) => commandIn('cheap', 'demo:EURUSD@M1', ...args);
    expect(await cheap('--asks', 'spread')).toContain('added 4 bars of EURUSD; ');
    expect([said, await cheap()]).toEqual([
      [expect.stringContaining('is continued with them')],
      expect.stringContaining('added 0 bars'),
    ]);
    stderr.mockRestore();
    await expect(command('demo:EURUSD@M1', '--asks', 'last')).rejects.toThrow(
      '--asks must be spread or ticks, not last',
    );
    await expect(command('demo:EURUSD', '--asks', 'ticks', '--ticks')).rejects.toThrow('--asks is for bars');
    delete process.env['PULL_KEY'];
  });
});
