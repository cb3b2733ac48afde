import { get } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';

interface Row {
  readonly time: string;
  readonly time_msc: number;
  readonly time_utc: string;
}

interface Body {
  readonly total: number;
  readonly data: readonly Row[];
}

describe('data of a span of time', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' } });
  });

  afterEach(() => gateway.app.get<Simulator>(EMBEDDED_SIMULATOR).faults.clear());

  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const read = async (path: string) => (await gateway.call(path)).json<Body>();

  it('contains the bars that open in it, both ends inclusive, for any requested zone', async () => {
    const utc = await read('/fetch_data_range?symbol=EURUSD&start=2026-01-07T09:00:00Z&end=2026-01-07T10:00:00Z');
    expect(utc).toMatchObject({ ok: true, time_basis: 'utc', total: 61 });
    expect([utc.data[0]?.time, utc.data[60]?.time]).toEqual(['2026-01-07T09:00:00Z', '2026-01-07T10:00:00Z']);
    const tokyo = '/fetch_data_range?symbol=EURUSD&start=2026-01-07T18:00:00%2B09:00&end=2026-01-07T10:00';
    expect(await read(tokyo)).toEqual(utc);
  });

  it('contains the same bars as /fetch_data_pos', async () => {
    const last = await read('/fetch_data_pos?symbol=EURUSD&num_bars=20&timeframe=M15');
    const [first, end] = [last.data[0]?.time, last.data[19]?.time];
    const span = await read(`/fetch_data_range?symbol=EURUSD&timeframe=M15&start=${first}&end=${end}`);
    expect(span.data).toEqual(last.data);
  });

  it('is complete over many slices: a month has every minute exactly once', async () => {
    const body = await read('/fetch_data_range?symbol=EURUSD&start=2025-12-07T10:00:00Z&end=2026-01-07T10:00:00Z');
    const times = body.data.map(({ time }) => time);
    expect(body.total).toBe(times.length);
    expect(times.length).toBeGreaterThan(40_000);
    expect(new Set(times).size).toBe(times.length);
    expect([...times].sort()).toEqual(times);
  }, 30_000);

  it('is an empty list where there were no bars', async () => {
    const body = await read('/fetch_data_range?symbol=EURUSD&start=2030-01-01&end=2030-01-02');
    expect(body).toEqual({ ok: true, time_basis: 'utc', data: [], total: 0 });
  });

  it('contains its ticks to the millisecond, with their instants', async () => {
    const span = 'from_date=2026-01-07T10:00:00.250Z&to_date=2026-01-07T10:20:00Z';
    const body = await read(`/copy_ticks_range?symbol=EURUSD&${span}`);
    const rows = body.data;
    expect(body).toMatchObject({ ok: true, time_basis: 'utc', total: rows.length });
    expect(rows.length).toBeGreaterThan(100);
    for (const { time_msc, time_utc } of rows) {
      expect(time_msc - Date.parse(time_utc)).toBe(2 * 3_600_000);
      expect(Date.parse(time_utc)).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 7, 10, 0, 0, 250));
      expect(Date.parse(time_utc)).toBeLessThanOrEqual(Date.UTC(2026, 0, 7, 10, 20));
    }
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...['time', 'bid', 'ask', 'last', 'volume', 'time_msc', 'flags', 'volume_real', 'time_utc'],
    ]);
    const halves = [
      await read('/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T10:00:00.250Z&to_date=2026-01-07T10:10'),
      await read('/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T10:10:00.001Z&to_date=2026-01-07T10:20'),
    ];
    expect(halves.flatMap(({ data }) => data)).toEqual(rows);
  });

  it.each([
    ['/fetch_data_range?symbol=EURUSD&start=2026-01-01&end=2026-02-02', 'end', '(MAX_HISTORY_RANGE_DAYS)'],
    ['/fetch_data_range?symbol=EURUSD&start=2026-01-02&end=2026-01-01', 'start', 'must be before end'],
    ['/fetch_data_range?symbol=EURUSD&start=yesterday&end=2026-01-01', 'start', 'ISO-8601'],
    ['/fetch_data_range?start=2026-01-01&end=2026-01-02', 'symbol', 'is missing'],
    ['/copy_ticks_range?symbol=EURUSD&from_date=2026-01-01&to_date=2026-02-02', 'to_date', '31 days'],
    ['/copy_ticks_range?symbol=EURUSD&from_date=2026-01-01&to_date=2026-01-02&flags=8', 'flags', 'all, info, trade'],
  ])('is rejected for %s', async (url, field, problem) => {
    const response = await gateway.call(url);
    expect(response.statusCode).toBe(400);
    expect(response.json().details).toEqual([{ field, problem: expect.stringContaining(problem) }]);
  });

  it('is 404 for an unknown symbol and 503 if the terminal cannot be read', async () => {
    const span = 'from_date=2026-01-07T10:00&to_date=2026-01-07T10:20';
    expect((await gateway.call(`/copy_ticks_range?symbol=NOSUCH&${span}`)).statusCode).toBe(404);
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    faults.set({ kind: 'failed-reads', methods: ['copyTicksRange', 'copyRatesRange'] });
    const ticks = await gateway.call(`/copy_ticks_range?symbol=EURUSD&${span}`);
    const bars = await gateway.call('/fetch_data_range?symbol=EURUSD&start=2026-01-06&end=2026-01-07');
    expect([ticks, bars].map((response) => response.json<unknown>())).toEqual([
      expect.objectContaining({ error_type: 'terminal_unavailable' }),
      expect.objectContaining({ error_type: 'terminal_unavailable' }),
    ]);
  });

  it('cuts the connection if the terminal fails midway', async () => {
    await gateway.app.listen(0, '127.0.0.1');
    const span = 'from_date=2026-01-05T00:00&to_date=2026-01-07T10:00';
    const request = get(`${await gateway.app.getUrl()}/copy_ticks_range?symbol=EURUSD&${span}`, {
      headers: { authorization: `Bearer ${testKey}` },
      agent: false,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { faults } = gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
    faults.set({ kind: 'failed-reads', methods: ['copyTicksRange'] });
    const end = await new Promise<string>((resolve) => {
      response.on('data', () => undefined);
      response.on('end', () => resolve('whole'));
      response.on('error', () => resolve('cut off'));
    });
    expect(end).toBe('cut off');
  });
});
