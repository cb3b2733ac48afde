import { VirtualClock } from '@libs/clock';
import { timeframeNames } from '@libs/terminal-client';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

interface Bar {
  readonly time: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

interface Body {
  readonly total: number;
  readonly data: readonly Bar[];
}

describe('GET /fetch_data_pos', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } });
  });

  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const bars = async (query: string) => (await gateway.call(`/fetch_data_pos?${query}`)).json<Body>();

  it('returns 100 one-minute bars in UTC, ascending, the last one forming', async () => {
    const body = await bars('symbol=EURUSD');
    expect(body).toMatchObject({ ok: true, time_basis: 'utc', total: 100 });
    const times = body.data.map(({ time }) => time);
    expect(times).toEqual([...times].sort());
    expect(times).toHaveLength(100);
    expect(times.at(-1)).toBe('2026-01-07T10:30:00Z');
    expect(times.at(-2)).toBe('2026-01-07T10:29:00Z');
  });

  it('gives each bar the fields of the contract, and consistent prices', async () => {
    const body = await bars('symbol=EURUSD&num_bars=500&timeframe=m5');
    for (const bar of body.data) {
      expect(Object.keys(bar)).toEqual([
        ...['time', 'time_server', 'open', 'high', 'low', 'close'],
        ...['tick_volume', 'spread', 'real_volume'],
      ]);
      expect(bar.low).toBeLessThanOrEqual(Math.min(bar.open, bar.close));
      expect(bar.high).toBeGreaterThanOrEqual(Math.max(bar.open, bar.close));
    }
    expect(body.data).toHaveLength(500);
  });

  it.each(timeframeNames)('accepts the timeframe %s in any letter case', async (timeframe) => {
    const body = await bars(`symbol=EURUSD&num_bars=3&timeframe=${timeframe.toLowerCase()}`);
    expect(body.total).toBe(3);
  });

  it('ends start_pos bars back', async () => {
    const [all, older] = [await bars('symbol=EURUSD&num_bars=10'), await bars('symbol=EURUSD&num_bars=5&start_pos=5')];
    expect(older.data).toEqual(all.data.slice(0, 5));
  });

  it('returns the same bars from cached bytes, and the new price in the forming one', async () => {
    const before = await bars('symbol=GBPUSD&num_bars=1000');
    expect(await bars('symbol=GBPUSD&num_bars=1000')).toEqual(before);
    await clock.advance(70_000);
    const after = await bars('symbol=GBPUSD&num_bars=1001');
    expect(after.data.slice(0, 999)).toEqual(before.data.slice(0, 999));
    expect(after.data.at(-1)).not.toEqual(before.data.at(-1));
    const fresh = await bars('symbol=GBPUSD&num_bars=2&start_pos=0');
    expect(fresh.data).toEqual(after.data.slice(-2));
  });

  it('keeps the same bars of two symbols apart', async () => {
    const [euro, pound] = [await bars('symbol=EURUSD&num_bars=300'), await bars('symbol=GBPUSD&num_bars=300')];
    expect(euro.data[0]?.time).toBe(pound.data[0]?.time);
    expect(euro.data[0]?.open).not.toBe(pound.data[0]?.open);
  });

  it('is 404 for a symbol that the broker does not have', async () => {
    const response = await gateway.call('/fetch_data_pos?symbol=NOSUCH');
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({
      ok: false,
      error_type: 'not_found',
      error: 'the broker has no symbol NOSUCH',
    });
  });

  it('reports all problems at once, and names the limit', async () => {
    const response = await gateway.call('/fetch_data_pos?timeframe=M7&num_bars=10001&start_pos=-1');
    expect(response.statusCode).toBe(400);
    expect(response.json().details).toEqual([
      { field: 'symbol', problem: 'is missing' },
      { field: 'timeframe', problem: expect.stringMatching(/^must be one of M1, .+, MN1, not "M7"$/) },
      { field: 'num_bars', problem: 'must be an integer from 1 to 10000 (MAX_NUM_BARS), not "10001"' },
      { field: 'start_pos', problem: expect.stringContaining('must be an integer from 0') },
    ]);
  });

  it('carries the headers of the pipeline', async () => {
    const response = await gateway.call({
      url: '/fetch_data_pos?symbol=EURUSD&num_bars=1',
      headers: { 'x-request-id': 'bars-1' },
    });
    expect(response.headers).toMatchObject({
      'x-request-id': 'bars-1',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(response.rawPayload.length),
    });
  });
});

describe('GET /fetch_data_pos while no offset is known', () => {
  it('returns server time without a zone, and states it', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
    const gateway = await gatewayUnderTest({ clock });
    const body = (await gateway.call('/fetch_data_pos?symbol=EURUSD&num_bars=1')).json();
    await gateway.stop();
    removeFolder(gateway.folder);
    expect(body).toMatchObject({ time_basis: 'server', data: [{ time: '2026-01-07T12:30:00' }] });
  });
});
