import type { IntentRecord } from './records';
import { supersededExits } from './in-flight-requests';

const first: IntentRecord = {
  ...{ key: 'k1', strategy: 'ema', broker: 'demo', intentId: 'c1', stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position' }, isEntry: false, createdAtMs: 1, journalId: 'A' },
  ...{ state: 'open', outcome: null },
};
const second: IntentRecord = { ...first, key: 'k2', intentId: 'c2', createdAtMs: 2 };

describe('an exit that a start finds open', () => {
  it.each<[string, IntentRecord]>([
    ['open', second],
    ['done', { ...second, state: 'done' }],
    ['open and kept under an earlier lease', { ...second, isOfEarlierLease: true }],
    ['done and kept under an earlier lease', { ...second, isOfEarlierLease: true, state: 'done' }],
  ])('is superseded by a newer one that is %s', (_case, newer) => {
    const open = [first, newer].filter(({ state }) => state === 'open');
    expect(supersededExits(open, [first, newer])).toEqual(['k1']);
  });

  it.each<[string, Partial<IntentRecord>]>([
    ['for another position', { ticket: 8 }],
    ['that is older', { createdAtMs: 0 }],
    ['that is a retry of it', { intentId: 'c1' }],
    ['that is an entry', { isEntry: true }],
  ])('is not superseded by one %s', (_case, change) => {
    expect(supersededExits([first], [first, { ...second, ...change }])).toEqual([]);
  });
});
