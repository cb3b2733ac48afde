import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store, StoreOptions, TableSource } from '@libs/store';
import { undisturbed } from '../core/risk';
import type { Moment, StackIntent } from '../core/stacks';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { NotedStores } from '../testing/real-work';
import { IdempotencyKeys } from './surroundings';
import type { OrderDesk } from './order-desk';

const options = { direction: 'buy', layers: 3, spacing: 0.001, volume: 0.1, slDistance: 0.01 } as const;
const wanted: StackIntent = { id: 's1', action: 'stack', stream: 'eur', options };
const byItself = { receivedNanos: null, decidedNanos: 0 };
const moment = (ask: number): Moment => {
  return { quote: { timeMs: 0, bid: ask - 0.0001, ask }, marketMs: Date.UTC(2024, 0, 1), circumstances: undisturbed };
};

/** The record of the second request cannot be written: its key is too long for the disk. */
class SecondTooLong extends IdempotencyKeys {
  private made = 0;

  override next(): string {
    return ++this.made === 2 ? 'x'.repeat(10_000) : super.next();
  }
}

/** A disk that can make a write and report that it failed, as a database whose answer is lost. */
class LosingStores extends NotedStores {
  losesNext = false;

  override open<T>(options: StoreOptions, define: (source: TableSource) => T): Store<T> {
    const store = super.open(options, define);
    const write = store.write.bind(store);
    store.write = async (change) => {
      const isLost = this.losesNext;
      this.losesNext = false;
      await write(change);
      if (isLost) throw new Error('the answer is lost');
    };
    return store;
  }
}

describe('the stacks of a strategy', () => {
  let stateDir: string;
  let gateway: ContractGateway;
  let rig: DeskRig;
  let desk: OrderDesk;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    stateDir = mkdtempSync(join(tmpdir(), 'stack-desk-'));
    rig = await DeskRig.start(gateway, { stateDir });
    ({ desk } = rig);
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const see = async (ask: number): Promise<void> => {
    for (const layer of rig.reachedBy('eur', { timeMs: 0, bid: ask - 0.0001, ask })) {
      await desk.enterLayer(layer, byItself, moment(ask));
    }
  };
  const stored = () => rig.store.openStacks('ema');

  it('sends each layer once, its stack on disk with the intent and with the fill', async () => {
    await desk.openStack(wanted, byItself, null, moment(1.1));
    expect(stored()).toMatchObject([{ anchor: 1.1, waiting: [2, 3] }]);
    await see(1.1011);
    await see(1.1012);
    expect(gateway.sends.map(({ body }) => body)).toMatchObject([{ sl: 1.09 }, { sl: 1.0911 }]);
    expect(stored()).toMatchObject([{ waiting: [3], tickets: rig.fills.map(({ position }) => position) }]);
    expect(desk.pendingLayers).toMatchObject([{ layer: 3, triggerPrice: 1.102 }]);
  });

  it('goes on with the stacks of an earlier start, and drops one whose first layer was never sent', async () => {
    await desk.openStack(wanted, byItself, null, moment(1.1));
    const [opened] = stored();
    const unsent = { ...opened, id: 's2', anchor: null, tickets: [], waiting: [2] };
    const remembered = stored().flatMap((stack) => [stack, { ...stack, ...unsent }]);
    await rig.store.write({ stacks: remembered });
    await rig.stop();
    rig = await DeskRig.start(gateway, { stateDir });
    ({ desk } = rig);
    await desk.takeUpStacks(['s1']);
    expect(stored()).toEqual([opened]);
    await see(1.1011);
    expect(stored()).toMatchObject([{ id: 's1', waiting: [3] }]);
  });

  it('keeps a layer waiting whose entry could not be written', async () => {
    await rig.stop();
    rig = await DeskRig.start(gateway, { stateDir, keys: new SecondTooLong('second') });
    ({ desk } = rig);
    await desk.openStack(wanted, byItself, null, moment(1.1));
    await see(1.1011);
    expect(rig.rejects).toMatchObject([{ intentId: 's1/2', kind: 'denied', reason: 'the state cannot be written' }]);
    expect(gateway.sends).toHaveLength(1);
    // What was not written is written with the next read of the account.
    await rig.sync.now();
    while (rig.persistence.lastError !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(stored()).toMatchObject([{ waiting: [2, 3] }]);
    await see(1.1012);
    expect(gateway.sends).toHaveLength(2);
    expect(stored()).toMatchObject([{ waiting: [3] }]);
  });

  it('withdraws the entry of a layer that was not sent, because its write was made and the answer lost', async () => {
    await rig.stop();
    const stores = new LosingStores();
    rig = await DeskRig.start(gateway, { stateDir, stores });
    ({ desk } = rig);
    await desk.openStack(wanted, byItself, null, moment(1.1));
    stores.losesNext = true;
    await see(1.1011);
    expect(rig.rejects).toMatchObject([{ intentId: 's1/2', kind: 'denied', reason: 'the state cannot be written' }]);
    await rig.sync.now();
    while (rig.persistence.lastError !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(rig.store.openIntents('ema')).toEqual([]);
    await see(1.1012);
    expect(gateway.sends).toHaveLength(2);
    const ofLayer = rig.store.recordsOf('ema').intents.filter(({ intentId }) => intentId === 's1/2');
    expect(ofLayer.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['absent', 'not sent: the state could not be written'],
      ['done', 'executed'],
    ]);
  });

  it('ends all stacks in memory and on disk when the strategy is halted', async () => {
    await desk.openStack(wanted, byItself, null, moment(1.1));
    await rig.account.halt('persistent', 'by hand');
    expect([desk.pendingLayers, stored()]).toEqual([[], []]);
    await see(1.1011);
    expect(gateway.sends).toHaveLength(1);
  });

  it('denies through the order desk, and stores nothing', async () => {
    await desk.openStack(wanted, byItself, 'a stack needs a hedging account', moment(1.1));
    await desk.openStack({ ...wanted, options: { ...options, spacing: 0 } }, byItself, null, moment(1.1));
    expect(rig.rejects).toMatchObject([
      { intentId: 's1', kind: 'denied', reason: 'a stack needs a hedging account' },
      { kind: 'denied', reason: 'stack: spacing must be above 0' },
    ]);
    expect(rig.store.dump().stacks).toEqual([]);
  });
});
