import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';

/** Two deals and two orders each: more than two blocks of 256 rows of each. */
const trades = 300;
const pages = ['/history_deals_get?from_date=2026-01-07', '/history_orders_get?from_date=2026-01-07'];
const windows = pages.map((page) => `${page}T10:00:10Z&to_date=2026-01-07T10:00:20Z`);

describe('the history of the simulated broker beyond SIM_HISTORY_ROWS', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  let gateway: GatewayUnderTest;
  let position = 0;
  afterAll(async () => {
    await gateway.stop();
    removeFolder(folder);
  });

  const start = async (rows: string): Promise<void> => {
    const kept = { SIM_HISTORY_ROWS: rows, SIM_STATE_FILE: join(folder, 'broker') };
    const env = { ...kept, SIM_BALANCE: '1000000', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };
    gateway = await gatewayUnderTest({ clock, env, folder });
  };
  const post = async (url: string, payload: object): Promise<{ readonly position: number }> => {
    const response = await gateway.call({ method: 'POST', url, payload });
    expect(response.json()).toMatchObject({ ok: true });
    return response.json<{ position: number }>();
  };
  const answers = async (): Promise<unknown[]> => {
    const ofPosition = [`/history_deals_get?position=${position}`, `/get_deal_from_ticket?ticket=${position}`];
    const order = `/get_order_from_ticket?ticket=${position}`;
    const bodies: unknown[] = [];
    for (const path of [...pages.map((page) => `${page}&limit=10000`), ...windows, ...ofPosition, order]) {
      const response = await gateway.call(path);
      expect(response.statusCode).toBe(200);
      const { request_id: _id, ...body } = response.json<{ request_id?: string }>();
      bodies.push(body);
    }
    return bodies;
  };
  /** The files without a name that this process has open in the folder. */
  const filesWithoutName = (): string[] =>
    readdirSync('/proc/self/fd').filter((fd) => /simulator-history-\w+\/rows \(deleted\)$/.test(linkOf(folder, fd)));

  it('is on disk, and reads return the same as from memory, also after a restart', async () => {
    await start('256');
    for (let trade = 0; trade < trades; trade += 1) {
      const opened = await post('/order', { symbol: 'EURUSD', volume: 0.01, type: 'BUY' });
      position ||= opened.position;
      await post('/close_position', { position: opened.position });
      await clock.advance(1_000);
    }
    const onDisk = await answers();
    expect(filesWithoutName()).toHaveLength(2);
    expect(onDisk.map((body) => (body as { total?: number }).total)).toEqual([
      ...[2 * trades + 1, 2 * trades, 22, 22],
      ...[2, undefined, undefined],
    ]);
    await gateway.stop();
    expect(filesWithoutName()).toEqual([]);

    await start('256');
    expect(await answers()).toEqual(onDisk);
    expect(filesWithoutName()).toHaveLength(2);
    await gateway.stop();

    await start('50000');
    expect(await answers()).toEqual(onDisk);
    expect(filesWithoutName()).toEqual([]);
  });
});

/** What a descriptor of this process refers to, if it is below a folder. */
function linkOf(folder: string, descriptor: string): string {
  try {
    const link = readlinkSync(`/proc/self/fd/${descriptor}`);
    return link.startsWith(folder) ? link : '';
  } catch {
    return '';
  }
}
