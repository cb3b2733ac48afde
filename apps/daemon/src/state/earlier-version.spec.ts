import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { StateStore } from './state-store';

const fixture = join(__dirname, '../../../../test/fixtures/v0.1.0/daemon/state.lmdb');

describe('the state of version 0.1.0', () => {
  let folder: string;
  let store: StateStore;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'v0.1.0-'));
    cpSync(fixture, join(folder, 'state.lmdb'));
    store = StateStore.open(folder, new VirtualClock());
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('is read with the open position, its stack and the orders in flight', () => {
    expect(store.strategyNames()).toEqual(['book', 'book/a', 'flip', 'ladder']);
    expect(store.openTickets('ladder')).toMatchObject([{ ticket: 530218018, symbol: 'EURUSD', closed: false }]);
    expect(store.openStacks('ladder')).toMatchObject([{ side: 'buy', waiting: [2, 3] }]);
    expect([...store.openIntents('flip'), ...store.openIntents('book/a')].map(({ key }) => key).sort()).toEqual([
      ...['d0bb04b83d8d2b498-6', 'd0bb04b83d8d2b498-7'],
    ]);
    expect(store.ownerOf('demo', 530218021)).not.toBeNull();
    expect(store.dump().unreadable).toEqual([]);
  });

  it('can be written: a settled order stays settled', async () => {
    const [intent] = store.openIntents('flip');
    expect(intent).toBeDefined();
    if (!intent) return;
    await store.write({ intents: [{ ...intent, state: 'rejected' }] });
    expect(store.openIntents('flip')).toEqual([]);
  });
});
