import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { SimulatedDisk } from '@libs/simulated-disk';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { gatewayUnderTest, type GatewayUnderTest } from '../testing/gateway-under-test';

interface Page {
  readonly data: readonly { readonly at: string; readonly balance: number; readonly equity: number }[];
  readonly next_since: string | null;
  readonly problem: string | null;
}

const startMs = Date.UTC(2026, 0, 7, 10, 30, 20);
const minuteMs = 60_000;
const broker = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };

describe('balance and equity over time', () => {
  let clock: VirtualClock;
  let disk: SimulatedDisk;
  let simulator: Simulator;
  let gateway: GatewayUnderTest;
  let isRunning: boolean;

  const start = async (): Promise<void> => {
    gateway = await gatewayUnderTest({
      clock,
      ...disk.view,
      terminal: simulator.connect(),
      folder: '/disk',
      env: broker,
    });
  };
  const run = async (): Promise<void> => {
    while (isRunning) await clock.advance(10);
  };
  beforeEach(async () => {
    clock = new VirtualClock(startMs);
    disk = new SimulatedDisk(clock, () => 0.5);
    simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, broker)), clock);
    await simulator.start();
    isRunning = true;
    void run();
    await start();
  });
  afterEach(async () => {
    await gateway.stop();
    isRunning = false;
    await simulator.stop();
  });

  const page = async (query = ''): Promise<Page> => (await gateway.call(`/account/equity${query}`)).json();
  const minutesOf = ({ data }: Page): number[] =>
    data.map(({ at }) => Math.round((Date.parse(at) - startMs) / minuteMs));
  const account = async (): Promise<{ balance: number; equity: number }> => (await gateway.call('/account')).json();

  it('are recorded each minute as GET /account has them', async () => {
    expect(await page()).toEqual({ ok: true, data: [], total: 0, next_since: null, problem: null });
    simulator.faults.set({ kind: 'frozen-quotes' });
    await gateway.call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'BUY', volume: 1 } });
    await clock.sleep(2 * minuteMs + 5_000);
    const { balance, equity } = await account();
    const recorded = await page();
    expect(minutesOf(recorded)).toEqual([1, 2]);
    expect(recorded.data.map((row) => [row.balance, row.equity])).toEqual(Array(2).fill([balance, equity]));
    expect(equity).not.toBe(balance);
  });

  it('are returned in pages, and thinned out without a second row of one span', async () => {
    await clock.sleep(9 * minuteMs + 5_000);
    const first = await page('?limit=4');
    expect(minutesOf(first)).toEqual([1, 2, 3, 4]);
    const second = await page(`?limit=5&since=${first.next_since}`);
    expect([minutesOf(second), second.next_since]).toEqual([[5, 6, 7, 8, 9], null]);
    const thin = await page('?every_minutes=5&limit=1');
    expect(minutesOf(thin)).toEqual([1]);
    const rest = await page(`?every_minutes=5&since=${thin.next_since}`);
    expect([minutesOf(rest), rest.next_since]).toEqual([[5], null]);
  });

  it('have a gap while the account is not explained or not there, and no value for it', async () => {
    await clock.sleep(minuteMs + 5_000);
    simulator.faults.set({ kind: 'disconnected' });
    await clock.sleep(2 * minuteMs);
    simulator.faults.clear('disconnected');
    await clock.sleep(2 * minuteMs);
    expect(minutesOf(await page())).toEqual([1, 4, 5]);
    await gateway.call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'BUY', volume: 1 } });
    await clock.sleep(5_000);
    simulator.faults.set({ kind: 'lists-not-loaded', shows: 'empty' });
    await clock.sleep(minuteMs);
    expect((await gateway.call('/account')).statusCode).toBe(503);
    expect(minutesOf(await page())).toEqual([1, 4, 5]);
  });

  it('survive a restart and a loss of power', async () => {
    await clock.sleep(2 * minuteMs + 5_000);
    disk.crash('power');
    await start();
    await clock.sleep(minuteMs + 5_000);
    expect(minutesOf(await page())).toEqual([1, 2, 3]);
  });

  it('are not recorded on a disk that takes nothing, which is said, and trades go on', async () => {
    await clock.sleep(minuteMs + 5_000);
    disk.setReadOnly(true);
    await clock.sleep(minuteMs);
    expect(await page()).toMatchObject({
      total: 1,
      problem: expect.stringMatching(/^balance and equity are not recorded: Read-only/),
    });
    expect((await gateway.call('/account')).statusCode).toBe(200);
    disk.setReadOnly(false);
    await clock.sleep(minuteMs);
    const again = await page();
    expect([minutesOf(again), again.problem]).toEqual([[1, 3], null]);
  });

  it('leave the gateway without them where their file is damaged, which is said', async () => {
    await gateway.stop();
    disk.replace('/disk/state/equity/data.mdb', 'no database');
    await start();
    expect((await gateway.call('/health/ready')).statusCode).toBe(200);
    const answer = await gateway.call('/account/equity');
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      503,
      expect.stringMatching(/^balance and equity are not recorded: .* is damaged/),
    ]);
  });

  it.each([
    ['since=yesterday', 'since'],
    ['limit=0', 'limit'],
    ['every_minutes=1441', 'every_minutes'],
    ['until=5', 'until'],
  ])('are not read with %s', async (query, field) => {
    const answer = await gateway.call(`/account/equity?${query}`);
    expect([answer.statusCode, answer.json<{ details: { field: string }[] }>().details[0]?.field]).toEqual([
      400,
      field,
    ]);
  });
});
