import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { SimulatedDisk } from '@libs/simulated-disk';
import { OrderType, TradeAction, tradeRequest, type TerminalClient } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { gatewayUnderTest, type GatewayUnderTest } from '../testing/gateway-under-test';
import type { TradeEvent } from './trade-event';

const broker = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };

/** Trade events while the disk fails and the broker works. */
describe('the event log on a disk that fails', () => {
  let clock: VirtualClock;
  let disk: SimulatedDisk;
  let simulator: Simulator;
  let gateway: GatewayUnderTest;
  let isRunning: boolean;
  let reads: Map<string, number>;

  beforeEach(async () => {
    clock = new VirtualClock();
    disk = new SimulatedDisk(clock, () => 0.5);
    simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, broker)), clock);
    await simulator.start();
    reads = new Map();
    isRunning = true;
    void run();
  });
  afterEach(async () => {
    await gateway.stop();
    isRunning = false;
    await simulator.stop();
  });
  const run = async (): Promise<void> => {
    while (isRunning) await clock.advance(1);
  };

  const start = async (): Promise<void> => {
    const terminal = counted(simulator.connect(), reads);
    gateway = await gatewayUnderTest({ clock, ...disk.view, terminal, folder: '/disk', env: broker });
  };
  const order = (key: string) =>
    gateway.call({
      ...{ method: 'POST', url: '/order', headers: { 'idempotency-key': key } },
      payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 },
    });
  const events = async (): Promise<TradeEvent[]> =>
    (await gateway.call('/events?since=0&limit=1000')).json<{ data: TradeEvent[] }>().data;
  const shortly = (list: readonly TradeEvent[]) => list.map(({ event, action }) => `${event} ${action}`);
  const opened = ['order closed', 'deal added', 'position opened'];

  it('has each event of a trade once, wherever the machine loses power', async () => {
    await start();
    await clock.sleep(3_000);
    for (let trade = 0; trade < 12; trade++) {
      void order(`trade-${trade}`).catch(() => undefined);
      await clock.sleep(trade);
      disk.crash('power');
      await start();
      await clock.sleep(3_000);
    }
    const positions = await gateway.call('/get_positions');
    const count = positions.json<{ data: unknown[] }>().data.length;
    expect(count).toBeGreaterThan(3);
    const list = await events();
    expect(shortly(list).sort()).toEqual(
      Array.from({ length: count }, () => opened)
        .flat()
        .sort(),
    );
    expect(list.map(({ seq }) => seq)).toEqual(list.map((_, index) => (list[0]?.seq ?? 0) + index));
  });

  it('causes no read of the history while it cannot be written, and is complete afterwards', async () => {
    await start();
    await clock.sleep(3_000);
    disk.setReadOnly(true);
    await dealByHand(simulator);
    await clock.sleep(3_000);
    const before = reads.get('historyDealsGet') ?? 0;
    await clock.sleep(60_000);
    expect((reads.get('historyDealsGet') ?? 0) - before).toBe(0);
    disk.setReadOnly(false);
    await clock.sleep(3_000);
    expect(shortly(await events())).toEqual(opened);
  });

  it('keeps the first snapshot of an account until it can be written', async () => {
    simulator.faults.set({ kind: 'disconnected' });
    await start();
    disk.setFailingSyncs(true);
    simulator.faults.clear();
    await clock.sleep(60_000);
    const before = reads.get('historyDealsGet');
    await clock.sleep(60_000);
    expect(reads.get('historyDealsGet')).toBe(before);
    await dealByHand(simulator);
    disk.setFailingSyncs(false);
    await clock.sleep(5_000);
    expect(shortly(await events())).toEqual(opened);
  });
});

/** A trade by another program at the same terminal. */
async function dealByHand(simulator: Simulator): Promise<void> {
  const session = simulator.connect();
  await session.connect();
  const fields = { symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 };
  const request = tradeRequest({ action: TradeAction.DEAL, ...fields });
  const outcome = await session.orderSend(sealRequest('by-hand', request));
  expect(outcome).toMatchObject({ kind: 'answered', result: { retcode: 10_009 } });
  await session.shutdown();
}

/** Counts the calls of a terminal. */
function counted(terminal: TerminalClient, reads: Map<string, number>): TerminalClient {
  return new Proxy(terminal, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        reads.set(String(property), (reads.get(String(property)) ?? 0) + 1);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
