import { bugTable } from './bug-search';

describe('the table of planted bugs', () => {
  it('states the seeds that each bug needed, and which ones only a plan finds', () => {
    const plan = { seed: 2, lengthMs: 1, settings: {}, steps: [] } as never;
    const found = { seed: 2, invariant: 'no key has two orders', what: 'send 2', plan };
    const table = bugTable([
      { bug: 'retry-after-unknown', seedsRun: 2, found, planInvariant: null },
      { bug: 'level-rounds-to-none', seedsRun: 20, found: null, planInvariant: 'everything settles' },
      { bug: 'claims-forgotten', seedsRun: 20, found: null, planInvariant: null },
    ]);
    expect(table.split('\n')).toEqual([
      '| bug | what is wrong | violates | seeds |',
      '|---|---|---|---|',
      expect.stringMatching(/^\| `claims-forgotten` \| A ticket is not claimed .* \| {2}\| not in 20 \|$/),
      expect.stringMatching(/^\| `level-rounds-to-none` \| .* \| everything settles \| plan; not in 20 \|$/),
      expect.stringMatching(/^\| `retry-after-unknown` \| .* \| no key has two orders \| 2 \|$/),
    ]);
  });
});
