import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { gatewayUnderTest, type GatewayUnderTest } from '../testing/gateway-under-test';
import { passUntilDone } from '../testing/passing-time';

const audit = '/disk/order-audit.jsonl';
const env = { SIM_HOURS: 'always', SIM_STATE_FILE: '', IDEMPOTENCY_TTL_SECONDS: '3600' };

describe('a gateway that dies while it writes that an outcome is undecidable', () => {
  let clock: VirtualClock;
  let disk: SimulatedDisk;
  let gateway: GatewayUnderTest;
  beforeEach(() => {
    clock = new VirtualClock();
    disk = new SimulatedDisk(clock, () => 0.5);
  });
  afterEach(() => pass(gateway.stop()));

  const start = async (): Promise<void> => {
    gateway = await pass(gatewayUnderTest({ clock, ...disk.view, folder: '/disk', env }));
  };
  const pass = <T>(pending: Promise<T>): Promise<T> => passUntilDone(clock, pending);
  const post = async (url: string, key: string, payload: object): Promise<Record<string, unknown>> => {
    const answer = gateway.call({ method: 'POST', url, headers: { 'idempotency-key': key }, payload });
    return (await pass(answer)).json<Record<string, unknown>>();
  };
  const unknownLines = (): number => disk.text(audit)?.match(/"event":"unknown_outcome"/g)?.length ?? 0;

  // First the audit line is written, then the outcome of the send, then the answer of the request.
  it.each([1, 2, 3])('reports it after a restart %i ms after the audit line', async (ms) => {
    await start();
    const { result } = await post('/order', 'open', { symbol: 'EURUSD', type: 'BUY', volume: 0.1 });
    const { order: position } = result as { order: number };
    const faults = gateway.simulator?.faults;
    faults?.set({ kind: 'failed-reads', methods: ['historyOrdersGet'] });
    faults?.set({ kind: 'lose-answer', times: 1 });
    await post('/modify_sl_tp', 'lost', { position, sl: 0.6 });
    await post('/modify_sl_tp', 'later', { position, sl: 0.7 });
    expect(unknownLines()).toBe(1);
    faults?.clear();
    while (unknownLines() < 2) await clock.advance(1);
    for (let passed = 0; passed < ms; passed++) await clock.advance(1);
    disk.crash('process');
    await start();
    for (let second = 0; second < 180; second++) await clock.advance(1_000);
    expect((await pass(gateway.call('/trade_requests/lost'))).json()).toMatchObject({
      ...{ status: 'unknown', response: { details: { undecidable: true } } },
    });
  });
});
