import fc from 'fast-check';
import { effort } from '../../../../test/setup/effort';
import { dayMs, JournalRig, responseTtlMs } from './testing/journal-rig';
import { KeyLives, keys, parameters, type Step } from './testing/key-lives';

const key = fc.constantFrom(...keys);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      key,
      parameters: fc.constantFrom(...parameters, parameters[0]),
    }),
    weight: 9,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('send', 'send', 'send', 'refuse', 'nothing to do', 'done', 'done', 'rejected', 'lost'),
      key,
    }),
    weight: 12,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('recovered', 'absent', 'void', 'void and send', 'send and void'),
      key,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1_000, responseTtlMs / 2, responseTtlMs + 1, 2 * dayMs, 99 * dayMs),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('jump', 'downtime'),
      ms: fc.constantFrom(dayMs, 200 * dayMs),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constantFrom('sweep', 'crash') }), weight: 2 },
);

/** Walks on which the test failed once. */
const found: readonly (readonly Step[])[] = [
  // A crash undoes the running time since the last write, and with it the expiry of the key.
  [
    { kind: 'void', key: 'a' },
    { kind: 'pass', ms: 99 * dayMs },
    { kind: 'pass', ms: 2 * dayMs },
    { kind: 'request', key: 'a', parameters: 'f' },
    { kind: 'crash' },
    { kind: 'request', key: 'a', parameters: 'f' },
  ],
];

describe('the life of a key', () => {
  it('sends at most once, never if void, and is remembered for a hundred days of running time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const rig = new JournalRig();
        try {
          const lives = new KeyLives(rig);
          for (const one of steps) await lives.take(one);
          await lives.check();
        } finally {
          await rig.stop();
        }
      }),
      { numRuns: effort(20, 300), endOnFailure: true, examples: found.map((steps): [Step[]] => [[...steps]]) },
    );
  });
});
