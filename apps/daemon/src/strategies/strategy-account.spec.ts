import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { newStack } from '../trading/stack';

describe('the account of a strategy', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await DeskRig.start(gateway);
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  it('makes what a fill brings about durable with the booking of its deal, which no restart tells of again', async () => {
    const stream = { alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
    const options = { direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1 } as const;
    const stack = newStack('i1', 'ema', stream, options, 0);
    rig.along = (fills) => ({ stacks: fills.map(({ price }) => ({ ...stack, anchor: price })) });
    await rig.buy();
    await rig.settled();
    expect(rig.fills).toMatchObject([{ intentId: 'i1', entry: 'in' }]);
    expect(rig.store.openStacks('ema')).toEqual([{ ...stack, anchor: rig.fills[0]?.price }]);
  });
});
