import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { StateStore } from './state-store';

const fixture = join(__dirname, '../../../../test/fixtures/with-fences/daemon/state.lmdb');

describe('the state of the version with fences', () => {
  it('is read: the open position, its stack, and the halt', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'with-fences-'));
    cpSync(fixture, join(folder, 'state.lmdb'));
    const store = StateStore.open(folder, new VirtualClock());
    try {
      expect(store.strategyNames()).toEqual(['faulty', 'ladder']);
      expect(store.openTickets('ladder')).toMatchObject([{ symbol: 'EURUSD', closed: false }]);
      expect(store.openStacks('ladder')).toMatchObject([{ side: 'buy', waiting: [2, 3] }]);
      expect(store.strategy('faulty')?.halt).not.toBeNull();
      expect(store.strategy('ladder')?.halt).toBeNull();
      expect(store.dump().unreadable).toEqual([]);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
