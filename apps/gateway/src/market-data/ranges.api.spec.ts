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

const rowBytes = 60;

function barRow(row: Buffer): object {
  return {
    ...{ time: Number(row.readBigInt64LE(0)), open: row.readDoubleLE(8), high: row.readDoubleLE(16) },
    ...{ low: row.readDoubleLE(24), close: row.readDoubleLE(32), tick_volume: Number(row.readBigUInt64LE(40)) },
    ...{ spread: row.readInt32LE(48), real_volume: Number(row.readBigUInt64LE(52)) },
  };
}

function tickRow(row: Buffer): object {
  return {
    ...{ time: Number(row.readBigInt64LE(0)), bid: row.readDoubleLE(8), ask: row.readDoubleLE(16) },
    ...{ last: row.readDoubleLE(24), volume: Number(row.readBigUInt64LE(32)), flags: row.readUInt32LE(48) },
    ...{ time_msc: Number(row.readBigInt64LE(40)), volume_real: row.readDoubleLE(52) },
  };
}

/** The row as it is packed: without its UTC times, and `time` is the server's. */
function timesOfServer({ time_server, ...row }: Record<string, unknown>): object {
  const { time_utc: _utc, ...ofServer } = time_server === undefined ? row : { ...row, time: time_server };
  return ofServer;
}

function plusTwoHours(time: string): string {
  return new Date(Date.parse(time) + 2 * 3_600_000).toISOString().slice(0, 19);
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
  });

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

  it("may be of the server's clock, whose rows then have its times", async () => {
    const ofServer = '/fetch_data_range?symbol=EURUSD&start=2026-01-07T11:00&end=2026-01-07T12:00&clock=server';
    const server = await read(ofServer);
    expect(server).toMatchObject({ time_basis: 'server', total: 61 });
    expect([server.data[0]?.time, server.data[60]?.time]).toEqual(['2026-01-07T11:00:00', '2026-01-07T12:00:00']);
    const utc = await read('/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T10:00&to_date=2026-01-07T10:01');
    const ticks = await read(
      '/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T12:00&to_date=2026-01-07T12:01&clock=SERVER',
    );
    expect(ticks.data.map(({ time_msc }) => time_msc)).toEqual(utc.data.map(({ time_msc }) => time_msc));
    expect(ticks.data.length).toBeGreaterThan(0);
  });

  it('has a clock whose offset is that of the time, not of today', async () => {
    const july = Date.UTC(2026, 6, 5, 10) / 1_000;
    const answer = {
      ok: true,
      utc: '2026-07-05T10:00:00.000Z',
      server_epoch: july + 10_800,
      offset_seconds: 10_800,
      source: 'zone',
    };
    expect((await gateway.call('/server_time?date=2026-07-05T10:00:00Z')).json()).toEqual(answer);
    expect((await gateway.call('/server_time?date=2026-07-05T13:00:00&clock=server')).json()).toEqual(answer);
    expect((await gateway.call('/server_time?date=2026-01-05T10:00:00Z')).json()).toMatchObject({
      offset_seconds: 7_200,
    });
  });

  it('may be named by its last bar and their number, also over a weekend', async () => {
    const path = '/copy_rates_from?symbol=EURUSD&timeframe=M15&num_bars=400';
    const last = await read(`${path}&date=2026-01-07T10:07:00Z`);
    const span = await read('/fetch_data_range?symbol=EURUSD&timeframe=M15&start=2025-12-20&end=2026-01-07T10:07:00Z');
    expect(last.data).toEqual(span.data.slice(-400));
    expect(last.data.at(-1)?.time).toBe('2026-01-07T10:00:00Z');
    expect(last.total).toBe(400);
    expect(await read(`${path}&date=2026-01-07T12:07:00&clock=server`)).toMatchObject({
      time_basis: 'server',
      data: span.data.slice(-400).map(({ time, ...bar }) => ({ ...bar, time: plusTwoHours(time) })),
    });
  });

  it('may be named by its first tick and their number', async () => {
    const span = await read('/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T10:00&to_date=2026-01-07T10:20');
    const first = await read('/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07T10:00:00Z&num_ticks=50');
    expect(first).toEqual({ ...span, data: span.data.slice(0, 50), total: 50 });
    const server = await read('/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07T12:00&num_ticks=50&clock=server');
    expect(server.data.map(({ time_msc }) => time_msc)).toEqual(first.data.map(({ time_msc }) => time_msc));
    const all = await read('/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07T10:29:00Z&num_ticks=1000000');
    expect(all.data.length).toBeGreaterThan(0);
    expect(all.data.length).toBeLessThan(1_000);
  });

  it.each([
    ['/fetch_data_pos?symbol=EURUSD&num_bars=20', barRow],
    ['/fetch_data_range?symbol=EURUSD&start=2026-01-05T09:00:00Z&end=2026-01-07T10:00:00Z', barRow],
    ['/copy_rates_from?symbol=EURUSD&date=2026-01-07T10:00:00Z&num_bars=300', barRow],
    ['/copy_ticks_range?symbol=EURUSD&from_date=2026-01-07T09:00Z&to_date=2026-01-07T10:00:00Z', tickRow],
    ['/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07T10:00:00Z&num_ticks=300', tickRow],
  ])('has the same rows packed: %s', async (url, readRow) => {
    const { data } = (await gateway.call(url)).json<{ data: readonly Record<string, unknown>[] }>();
    const packed = await gateway.call({ url, headers: { accept: 'application/octet-stream' } });
    expect(packed.headers['content-type']).toBe('application/octet-stream');
    const bytes = packed.rawPayload;
    expect(bytes.length).toBe(data.length * rowBytes);
    const rows = data.map((_row, index) => readRow(bytes.subarray(index * rowBytes, (index + 1) * rowBytes)));
    expect(rows).toEqual(data.map(timesOfServer));
  });

  it('is an error in JSON for a client that accepts packed rows', async () => {
    const url = '/copy_rates_from?symbol=NOSUCH&date=2026-01-07&num_bars=10';
    const response = await gateway.call({ url, headers: { accept: 'application/octet-stream' } });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ error_type: 'not_found' });
  });

  it.each([
    ['/copy_rates_from?symbol=EURUSD&num_bars=10', 'date', 'is missing'],
    ['/copy_rates_from?symbol=EURUSD&date=2026-01-07&num_bars=10001', 'num_bars', '(MAX_NUM_BARS)'],
    ['/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07&num_ticks=0', 'num_ticks', 'from 1 to 1000000'],
    ['/copy_ticks_from?symbol=EURUSD&from_date=2026-01-07&clock=local', 'clock', 'utc or server'],
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
