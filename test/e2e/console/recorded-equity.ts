import { join } from 'node:path';
import { lmdbStores } from '@libs/store';
import { EquityStore } from '../../../apps/gateway/src/account/equity.store';

/** Leaves readings of balance and equity, one for each of the last minutes, in the state of a gateway that does not run. */
export async function leaveEquity(stateDir: string, account: string, minutes: number): Promise<void> {
  const store = new EquityStore(lmdbStores, join(stateDir, 'equity'), 10_000);
  const nowMs = Date.now();
  for (let minute = minutes; minute > 0; minute--) {
    const equity = 10_000 + Math.round(2_500 * Math.sin(minute / 17) + 900 * Math.sin(minute / 3)) / 100;
    await store.add(account, { atMs: nowMs - minute * 60_000, balance: 10_000, equity });
  }
  await store.close();
}
