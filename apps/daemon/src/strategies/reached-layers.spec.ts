import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';

const stream = { alias: 'demo', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const byItself = { receivedNanos: null, decidedNanos: null };
const inTime = { marketMs: 0, staleBarMs: null, isStateKept: true };
const minutes = [1, 2, 3, 4, 5].map((minute) => ({
  ...{ time: new Date(minute * 60_000).toISOString(), time_server: minute * 60 },
  ...{ open: 1, high: 1, low: 1, close: 1, tick_volume: 1, spread: 1, real_volume: 0 },
}));

describe('a layer of a stack, when the market reaches its price,', () => {
  let demo: ContractGateway;
  beforeEach(async () => {
    demo = await ContractGateway.start();
    demo.bars.push(...minutes);
  });
  afterEach(() => demo.stop());

  it('waits in the queue of its strategy behind its earlier events, and enters in its turn', async () => {
    const rig = await FleetRig.start({ gateways: { demo }, children: { a: ['demo'] } });
    await rig.look();
    const { hub } = rig.gateways.get('demo');
    const listener = () => undefined;
    await hub.subscribe(stream, 3, listener);
    const runner = rig.child('a');
    const { trading } = runner;
    const options = { direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1 } as const;
    await trading.carryOut({ id: 's1', action: 'stack', stream: 'demo', options }, byItself, inTime);
    const anchor = trading.desk.pendingLayers[0]?.triggerPrice ?? 0;
    trading.see('demo', { timeMs: 1, bid: anchor, ask: anchor + 0.0001 }, null);
    expect(demo.sends).toHaveLength(1);
    expect(runner.queue.take()).toMatchObject({ event: { type: 'fill', fill: { intentId: 's1' } } });
    const item = runner.queue.take();
    expect(item).toEqual({ type: 'layer', layer: { stackId: 's1', layer: 2, stream: 'demo' } });
    demo.tick['ask'] = anchor + 0.0001;
    demo.tick['bid'] = anchor;
    await hub.refresh('EURUSD');
    if (item) await runner.handle(item);
    expect(demo.sends.map(({ path }) => path)).toEqual(['/order', '/order']);
    hub.unsubscribe(stream, listener);
    await rig.stop();
  });
});
