import { isForgotten, retentionMs } from './retention-times';

const dayMs = 86_400_000;

describe('retention', () => {
  it('keeps sends for 35 days and keys for 100 days of running time', () => {
    expect(retentionMs).toEqual({ intent: 35 * dayMs, key: 100 * dayMs });
  });

  it('forgets a key only after its last day', () => {
    expect(isForgotten(1, 1 + 100 * dayMs)).toBe(false);
    expect(isForgotten(1, 2 + 100 * dayMs)).toBe(true);
  });
});
