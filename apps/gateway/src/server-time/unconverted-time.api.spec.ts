import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

interface Rows {
  readonly data: readonly { readonly time: number | string; readonly time_utc: string }[];
}

/** docs/market-data.md, "A client that converts server time itself". */
describe('TERMINAL_SERVER_UTC_OFFSET_SECONDS=0, for a client that converts server time itself', () => {
  // Ten in the morning UTC is seven in the evening on this broker's server.
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  const env = { SIM_SERVER_TIME_ZONE: 'Asia/Tokyo', SIM_HOURS: 'always', TERMINAL_SERVER_UTC_OFFSET_SECONDS: '0' };
  let gateway: GatewayUnderTest;
  beforeAll(async () => (gateway = await gatewayUnderTest({ clock, env })));
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const rows = async (url: string): Promise<Rows['data']> => (await gateway.call(url)).json<Rows>().data;

  it('returns ticks and deals with unconverted server time', async () => {
    const tick = (await gateway.call('/symbol_info_tick/EURUSD')).json<{ time_utc: string }>();
    expect(tick.time_utc).toMatch(/^2026-01-07T(18:59|19:00)/);
    const payload = { symbol: 'EURUSD', volume: 0.1, type: 'BUY' };
    await gateway.call({ method: 'POST', url: '/order', payload });
    const [deal] = await rows('/history_deals_get?from_date=2026-01-07T19:00:00Z&to_date=2026-01-07T19:05:00Z');
    expect(deal?.time_utc).toBe(new Date(Number(deal?.time) * 1_000).toISOString());
    expect(deal?.time_utc).toMatch(/^2026-01-07T19:00/);
  });

  it('interprets a span of bars as server time', async () => {
    const bars = await rows(
      '/fetch_data_range?symbol=EURUSD&timeframe=M1&start=2026-01-07T18:50Z&end=2026-01-07T18:59Z',
    );
    expect(bars.map(({ time }) => time)).toEqual(
      Array.from({ length: 10 }, (_, minute) => `2026-01-07T18:5${minute}:00Z`),
    );
  });

  it('interprets an expiration as server time', async () => {
    const pending = {
      symbol: 'EURUSD',
      volume: 0.1,
      type: 'BUY_LIMIT',
      price: 0.9,
      expiration: '2026-01-07T23:00:00Z',
    };
    const placed = await gateway.call({ method: 'POST', url: '/order', payload: pending });
    expect(placed.json()).toMatchObject({ ok: true, state: 'placed' });
    const [order] = (await gateway.call('/orders')).json<{ data: { time_expiration: number }[] }>().data;
    expect(order?.time_expiration).toBe(Date.UTC(2026, 0, 7, 23) / 1_000);
  });
});
