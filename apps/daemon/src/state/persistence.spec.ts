import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Persistence } from './persistence';
import { blankRecord } from '../core/records';
import { StateStore } from './state-store';

describe('writing a strategy’s state', () => {
  it('counts what was written and what was not, and says why until it succeeds again', async () => {
    const store = StateStore.open(mkdtempSync(join(tmpdir(), 'persistence-')));
    const persistence = new Persistence(store);
    expect(await persistence.write({ strategy: blankRecord('ema') })).toBe(true);
    // What no record may hold cannot be written either.
    const tooLong = { ...blankRecord('ema'), name: 'x'.repeat(10_000) };
    expect(await persistence.write({ strategy: tooLong })).toBe(false);
    expect(persistence).toMatchObject({ writes: 1, failedWrites: 1, lastError: expect.any(String) as string });
    expect(await persistence.write({ strategy: blankRecord('ema') })).toBe(true);
    expect(persistence).toMatchObject({ writes: 2, failedWrites: 1, lastError: null });
    await store.close();
  });

  it('never writes over a state that could not be read', async () => {
    const store = StateStore.open(mkdtempSync(join(tmpdir(), 'persistence-')));
    const persistence = new Persistence(store, 'it is broken');
    expect(persistence.lastError).toBe('it is broken');
    expect(await persistence.write({ strategy: blankRecord('ema') })).toBe(false);
    expect(persistence).toMatchObject({ writes: 0, failedWrites: 1, lastError: 'it is broken' });
    expect(store.strategy('ema')).toBeNull();
    await store.close();
  });
});
