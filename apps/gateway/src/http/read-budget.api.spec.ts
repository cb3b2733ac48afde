import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { ReadBudget } from './read-budget';

const reader = { authorization: 'Bearer only-reads' };
const from = '2026-01-05T10:00:00Z';
const to = '2026-01-05T10:05:00Z';
const longReads = [
  '/trade_requests/any/audit',
  '/audit/verification',
  '/reconcile?lookback_hours=744',
  `/copy_ticks_range?symbol=EURUSD&from_date=${from}&to_date=${to}`,
  `/fetch_data_range?symbol=EURUSD&timeframe=M1&start=${from}&end=${to}`,
  `/history_deals_get?from_date=${from}&to_date=${to}`,
  `/history_deals_range?from_date=${from}&to_date=${to}`,
  `/history_orders_get?from_date=${from}&to_date=${to}`,
];

describe('the budget of long reads', () => {
  let gateway: GatewayUnderTest;
  let budget: ReadBudget;
  beforeAll(async () => {
    gateway = await gatewayUnderTest({ env: { API_KEY_READONLY: 'only-reads', SIM_HOURS: 'always' } });
    budget = gateway.app.get(ReadBudget, { strict: false });
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  /** Reads that run until they are let go, and how many of them run. */
  function held(count: number, keyRole: 'primary' | 'readonly') {
    let running = 0;
    const endings: (() => void)[] = [];
    const all = Array.from({ length: count }, () =>
      budget.run({ keyRole }, async () => {
        running += 1;
        await new Promise<void>((end) => endings.push(end));
        running -= 1;
      }),
    );
    /** Lets them go one after the other, and resolves to the most that ran at once. */
    const end = async (): Promise<number> => {
      let [most, hasEnded] = [running, false];
      void Promise.allSettled(all).then(() => (hasEnded = true));
      while (!hasEnded) {
        endings.shift()?.();
        await new Promise((turn) => setTimeout(turn, 1));
        most = Math.max(most, running);
      }
      return most;
    };
    return { running: () => running, end };
  }

  it('runs one of the read-only key at a time, has 32 wait, and refuses the next on every route', async () => {
    const reads = held(33, 'readonly');
    expect(reads.running()).toBe(1);
    for (const url of longReads) {
      const answer = await gateway.call({ url, headers: reader });
      expect([url, answer.statusCode, answer.headers['retry-after']]).toEqual([url, 429, '1']);
      expect(answer.json()).toMatchObject({
        error_type: 'too_many_requests',
        error: '32 long reads are waiting already; this one was not started: repeat it later',
      });
    }
    expect(await reads.end()).toBe(1);
    for (const url of longReads) expect((await gateway.call({ url, headers: reader })).statusCode).toBe(200);
  });

  it('is not shared by trade requests, the halt, light reads and the reads of the trading keys', async () => {
    const reads = held(20, 'readonly');
    const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1 };
    expect((await gateway.call({ method: 'POST', url: '/order', payload: order })).statusCode).toBe(200);
    for (const url of longReads) expect((await gateway.call(url)).statusCode).toBe(200);
    for (const url of ['/account', '/health', '/metrics', '/get_positions']) {
      expect((await gateway.call({ url, headers: reader })).statusCode).toBe(200);
    }
    expect((await gateway.call({ method: 'POST', url: '/kill' })).statusCode).toBe(200);
    expect((await gateway.call({ method: 'POST', url: '/kill/release' })).statusCode).toBe(200);
    await reads.end();
  });

  it('runs four of the trading keys at a time, and has the others wait', async () => {
    const reads = held(20, 'primary');
    expect(reads.running()).toBe(4);
    const waits = gateway.call('/trade_requests/any/audit');
    expect(await reads.end()).toBe(4);
    expect((await waits).statusCode).toBe(200);
  });
});
