import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import type { Intent } from '../core/strategy-event';

const minutes = [1, 2, 3, 4, 5].map((minute) => ({
  ...{ time: new Date(minute * 60_000).toISOString(), time_server: minute * 60 },
  ...{ open: 1, high: 1, low: 1, close: 1, tick_volume: 1, spread: 1, real_volume: 0 },
}));

const stream = { alias: 'demo', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const listener = () => undefined;
const byItself = { receivedNanos: null, decidedNanos: 0 };
const inTime = { marketMs: 0, staleBarMs: null, isStateKept: true };
const entry = (id: string, at: string): Intent => {
  return { id, action: 'enter', side: 'buy', stream: at, options: { volume: 0.1 } };
};

describe('an entry of a strategy on two gateways', () => {
  let demo: ContractGateway;
  let live: ContractGateway;
  beforeEach(async () => {
    [demo, live] = [await ContractGateway.start(), await ContractGateway.start()];
    for (const { bars } of [demo, live]) bars.push(...minutes);
  });
  afterEach(() => Promise.all([demo.stop(), live.stop()]));

  it('is denied if the prices of its own gateway are stale, not those of the other', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    await rig.look();
    const { hub } = rig.gateways.get('demo');
    await hub.subscribe(stream, 3, listener);
    const { trading } = rig.child('a');
    await trading.carryOut(entry('i1', 'live'), byItself, inTime);
    await trading.carryOut(entry('i2', 'demo'), byItself, inTime);
    expect([demo.sends.length, live.sends.length]).toEqual([1, 0]);
    expect(trading.desk.counts).toMatchObject({ denied: 1 });
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });

  it('is denied while the key of its gateway may only read', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    demo.apiKey = 'read_only';
    await rig.look();
    const { hub } = rig.gateways.get('demo');
    await hub.subscribe(stream, 3, listener);
    const { trading } = rig.child('a');
    await trading.carryOut(entry('i1', 'demo'), byItself, inTime);
    expect(trading.desk.counts).toMatchObject({ denied: 1 });
    demo.apiKey = 'full';
    await rig.look();
    await trading.carryOut(entry('i2', 'demo'), byItself, inTime);
    expect(trading.desk.counts).toMatchObject({ denied: 1 });
    expect(demo.sends).toHaveLength(1);
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });

  it('is denied with the reason while what the terminal of its gateway shows is not explained, and an exit is sent', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    const { trading, accounts } = rig.child('a');
    const { hub } = rig.gateways.get('demo');
    const reasons: string[] = [];
    trading.events.listen((event) => event.type === 'rejected' && reasons.push(event.reject.reason));
    await rig.look();
    await hub.subscribe(stream, 3, listener);
    await trading.carryOut(entry('i1', 'demo'), byItself, inTime);
    const [position] = trading.book.positions;
    const message = 'the balance changed by -5.00; the deals since then sum up to 0.00';
    demo.unexplained = [
      { kind: 'balance_without_deals', ticket: null, symbol: null, message },
      { kind: 'history_incomplete', ticket: 77, symbol: null, message: 'the history lacks 1 deal' },
    ];
    await rig.look();
    await trading.carryOut(entry('i2', 'demo'), byItself, inTime);
    const reason = `account_not_explained: ${message} (and 1 more)`;
    expect(reasons).toEqual([reason]);
    const seen = { gateway: 'demo', state: 'synchronizing', reason, tickets: [77], differences: [] };
    expect(accounts.seen).toEqual([seen, { ...seen, gateway: 'live', state: 'connected', reason: null, tickets: [] }]);
    const exit = { id: 'c1', action: 'close', position: position?.ticket ?? 0, broker: null, volume: null } as const;
    await trading.carryOut(exit, byItself, inTime);
    expect(demo.sends.map(({ path }) => path)).toEqual(['/order', '/close_position']);
    demo.hidesLists = true;
    await rig.look();
    await trading.carryOut(entry('i3', 'demo'), byItself, inTime);
    expect(reasons).toEqual([reason, reason]);
    demo.unexplained = [];
    demo.hidesLists = false;
    await rig.look();
    await trading.carryOut(entry('i4', 'demo'), byItself, inTime);
    expect([reasons.length, demo.sends.length]).toEqual([2, 3]);
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });

  it('halts nothing over a position that is not explained yet', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    const { book } = rig.child('a');
    const ticket = demo.openAtBroker(book.spec.magic);
    const message = `position ${ticket} is shown; no deal has opened it`;
    demo.unexplained = [{ kind: 'position_without_deals', ticket, symbol: 'EURUSD', message }];
    await rig.look();
    expect(book.record.halt).toBeNull();
    demo.unexplained = [];
    await rig.look();
    expect(book.record.halt?.reason).toContain(String(ticket));
    await rig.stop();
  });

  it('is denied while its lease is not renewed in time, and for good once a gateway has refused its fence', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] }, isLeased: true });
    const { trading } = rig.child('a');
    const { hub } = rig.gateways.get('demo');
    const enters = async (id: string): Promise<number> => {
      await rig.look();
      await trading.carryOut(entry(id, 'demo'), byItself, inTime);
      return trading.desk.counts.denied;
    };
    const renew = (): void => rig.lease.update({ ...rig.held, renewedMs: rig.clock.monotonicMs() });
    await hub.subscribe(stream, 3, listener);
    await rig.clock.advance(6_000);
    expect([await enters('i1'), demo.sends.length]).toEqual([1, 0]);
    renew();
    demo.fence = 8;
    expect([await enters('i2'), demo.sends.length]).toEqual([1, 0]);
    demo.fence = 0;
    renew();
    expect([await enters('i3'), demo.sends.length]).toEqual([2, 0]);
    expect(rig.lease.endReason).toMatch(/^demo: /);
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });

  it('is denied with its stack when the bar it was decided on is too old, and an exit is not', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    await rig.look();
    const { trading } = rig.child('a');
    const stack = { direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1 } as const;
    await trading.carryOut(entry('i1', 'demo'), byItself, { ...inTime, staleBarMs: 61_000 });
    await trading.carryOut({ id: 's1', action: 'stack', stream: 'demo', options: stack }, byItself, {
      ...inTime,
      staleBarMs: 61_000,
    });
    expect(trading.desk.counts).toMatchObject({ denied: 2, stale: 2 });
    await trading.carryOut({ id: 'c1', action: 'cancel', order: 7, broker: null }, byItself, {
      ...inTime,
      staleBarMs: 61_000,
    });
    expect(trading.desk.counts).toMatchObject({ denied: 3, stale: 2 });
    expect(trading.desk.pendingLayers).toEqual([]);
    expect(demo.sends).toEqual([]);
    await rig.stop();
  });

  it('is settled, even if the snapshot that would show it fails unexpectedly', async () => {
    const rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] } });
    await rig.look();
    const { hub, sync } = rig.gateways.get('demo');
    await hub.subscribe(stream, 3, listener);
    const { account, trading } = rig.child('a');
    const broken = new Proxy(account, {
      get: () => {
        throw new Error('no idea');
      },
    });
    sync.add(broken);
    let isDone = false;
    const carried = trading.carryOut(entry('i1', 'demo'), byItself, inTime).finally(() => (isDone = true));
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await rig.clock.advance(250);
    }
    await carried;
    expect(trading.desk.inFlight).toBe(0);
    expect(sync.problem).not.toBeNull();
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });
});
