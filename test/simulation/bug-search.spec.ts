import { bugTable } from './bug-search';

describe('the table of planted bugs', () => {
  it('states what each bug violates, the seeds that it needed, and which ones only a plan finds', () => {
    const plan = { seed: 2, lengthMs: 1, settings: {}, steps: [] } as never;
    const found = { seed: 2, invariant: 'no key has two orders', what: 'send 2', plan };
    const table = bugTable([
      { bug: 'retry-after-unknown', seedsRun: 2, found, planInvariant: null },
      { bug: 'event-not-recorded', seedsRun: 5, found, planInvariant: null },
      { bug: 'level-rounds-to-none', seedsRun: 20, found: null, planInvariant: 'everything settles' },
      { bug: 'claims-forgotten', seedsRun: 20, found: null, planInvariant: null },
    ]);
    expect(table.split('\n')).toEqual([
      '| violates | bugs |',
      '|---|---|',
      '| everything settles | `level-rounds-to-none` plan |',
      '| no key has two orders | `event-not-recorded` 5, `retry-after-unknown` 2 |',
      '| not found | `claims-forgotten` - |',
    ]);
  });
});
