import { undisturbed } from '../core/risk';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

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

  it('makes the stack of a fill durable together with the booking of its deal', async () => {
    const options = { direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1 } as const;
    const quote = { timeMs: 0, bid: 1.0999, ask: 1.1 };
    const moment = { quote, marketMs: Date.UTC(2024, 0, 1), circumstances: undisturbed };
    const atBooking: unknown[] = [];
    rig.trading.events.listen(({ type }) => {
      // The booking is on disk by then: its stack is, too.
      if (type === 'filled') atBooking.push(...rig.store.openStacks('ema'));
    });
    const intent = { id: 'i1', action: 'stack', stream: 'eur', options } as const;
    await rig.desk.openStack(intent, { receivedNanos: null, decidedNanos: 0 }, null, moment);
    await rig.settled();
    const [{ price, position } = { price: 0, position: 0 }] = rig.fills;
    expect(rig.fills).toMatchObject([{ intentId: 'i1', entry: 'in' }]);
    expect(atBooking).toMatchObject([{ id: 'i1', anchor: price, tickets: [position], waiting: [2] }]);
  });
});
