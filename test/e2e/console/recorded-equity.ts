import { mkdirSync, writeFileSync } from 'node:fs';
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

/** Leaves what a strategy has earned, 1 more in each of the last minutes, in the state of a daemon that does not run. */
export function leaveResults(stateDir: string, strategy: string, minutes: number): void {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const lines = Array.from({ length: minutes }, (_, index) => `${nowSeconds - (minutes - index) * 60} 0 ${index};`);
  mkdirSync(join(stateDir, 'logs'), { recursive: true });
  writeFileSync(join(stateDir, 'logs', `${strategy}.equity`), `${lines.join('\n')}\n`);
}
