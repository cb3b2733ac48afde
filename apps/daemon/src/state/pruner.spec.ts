import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { Pruner } from './pruner';
import type { IntentRecord } from '../core/records';
import { StateStore, StateWriteError } from './state-store';

const hourMs = 3_600_000;

const done = (key: string): IntentRecord => ({
  ...{ key, strategy: 'ema', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: null },
  ...{
    call: { method: 'POST', path: '/order', body: {} },
    isEntry: true,
    createdAtMs: 0,
    state: 'done',
    outcome: null,
  },
});

describe('pruning', () => {
  it('continues in portions while the daemon runs, and keeps records that are not old enough', async () => {
    const clock = new VirtualClock();
    const store = StateStore.open(mkdtempSync(join(tmpdir(), 'prune-')), clock);
    await store.write({ intents: Array.from({ length: 450 }, (_, index) => done(`old-${index}`)) });
    const pruner = new Pruner({ store, clock, keepDays: 2 });
    pruner.start();
    const kept = (): number => store.dump().intents.length;
    for (let hour = 0; hour < 47; hour++) await clock.advance(hourMs);
    expect(kept()).toBe(450);
    await store.write({ intents: [done('new'), { ...done('open'), state: 'open' }] });
    while (kept() > 2) {
      await clock.advance(hourMs / 4);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(
      store
        .dump()
        .intents.map(({ key }) => key)
        .sort(),
    ).toEqual(['new', 'open']);
    await pruner.stop();
    await store.close();
  });

  it('is tried again after an hour when the disk fails', async () => {
    const clock = new VirtualClock();
    let tries = 0;
    const store = {
      prune: async (): Promise<number> => {
        tries++;
        throw new StateWriteError('no space left');
      },
    };
    const pruner = new Pruner({ store, clock, keepDays: 1 });
    pruner.start();
    await clock.advance(3 * hourMs);
    expect(tries).toBe(4);
    await pruner.stop();
  });
});
