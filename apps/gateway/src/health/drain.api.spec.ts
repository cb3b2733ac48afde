import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { VirtualClock } from '@libs/clock';
import { Stopping } from '../stopping/stopping';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { passUntilDone } from '../testing/passing-time';

const alerts = `channels:
  ops: { type: webhook, url: 'http://127.0.0.1:9/', secret_file: SECRET }
rules:
  - { on: halt, channels: [ops] }
`;
const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 };
const valid: Readonly<Record<string, string>> = {
  '/fetch_data_pos': '?symbol=EURUSD&timeframe=M1&num_bars=3',
  '/fetch_data_range': '?symbol=EURUSD&timeframe=M1&start=2024-01-01&end=2024-01-02',
  '/copy_ticks_range': '?symbol=EURUSD&from_date=2024-01-01&to_date=2024-01-02',
  '/history_deals_get': '?from_date=2024-01-01&to_date=2024-01-02',
  '/events': '?since=0',
};

/** A whole gateway with alerts, which drains for as long as its virtual clock stands. */
describe('a gateway that drains', () => {
  const clock = new VirtualClock();
  let folder: string;
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'drain-'));
    const file = join(folder, 'alerts.yaml');
    writeFileSync(join(folder, 'secret'), 'whsec');
    writeFileSync(file, alerts.replace('SECRET', join(folder, 'secret')));
    const env = { NOTIFIER_FILE: file, SHUTDOWN_DRAIN_SECONDS: '6', SIM_HOURS: 'always', SIM_STATE_FILE: '' };
    gateway = await gatewayUnderTest({ clock, folder, env });
  });
  afterAll(() => removeFolder(folder));

  /** The status of each read but those of the streams, which do not end. */
  const answers = async (): Promise<Record<string, number>> => {
    const { paths } = (await gateway.app.inject('/apidocs/openapi.json')).json<OpenAPIObject>();
    const reads = Object.keys(paths).filter((path) => paths[path]?.get && !path.startsWith('/stream/'));
    const found: Record<string, number> = {};
    for (const path of reads) {
      const url = path.replace('{symbol}', 'EURUSD').replaceAll(/\{[^}]+\}/g, '1') + (valid[path] ?? '');
      found[path] = (await passUntilDone(clock, gateway.call(url), 0)).statusCode;
    }
    return found;
  };
  const isLogged = async (ticket: number): Promise<boolean> =>
    (await gateway.call('/events?since=0')).body.includes(`"ticket":${ticket}`);

  it('answers every read as before, refuses entries at once, and has the events of its last closes', async () => {
    const before = await answers();
    expect(before).toMatchObject({ '/health': 200, '/metrics': 200, '/events': 200, '/notifications/set_aside': 200 });
    const bought = await passUntilDone(clock, gateway.call({ method: 'POST', url: '/order', payload: order }));
    const { result } = bought.json<{ result: { order: number } }>();
    const closing = gateway.stop();
    // Before anything that a part of it waits for, such as a mail server that hangs.
    expect(gateway.app.get(Stopping, { strict: false }).isUnderWay).toBe(true);
    expect((await gateway.call('/health/ready')).statusCode).toBe(503);
    expect(await answers()).toEqual({ ...before, '/health/ready': 503 });
    const refused = await passUntilDone(clock, gateway.call({ method: 'POST', url: '/order', payload: order }));
    expect([refused.statusCode, refused.json()]).toMatchObject([
      503,
      { error_type: 'terminal_unavailable', error: 'the gateway is stopping: it accepts no new orders' },
    ]);
    const payload = { position: result.order };
    const closed = await passUntilDone(clock, gateway.call({ method: 'POST', url: '/close_position', payload }));
    expect(closed.json()).toMatchObject({ ok: true });
    const { deal } = closed.json<{ result: { deal: number } }>().result;
    await clock.advance(2_000);
    for (let turn = 0; turn < 1_000 && !(await isLogged(deal)); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await isLogged(deal)).toBe(true);
    await passUntilDone(clock, closing, 1_000);
  });
});
