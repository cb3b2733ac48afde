import fc from 'fast-check';
import { effort } from '../../../../test/setup/effort';
import { JournalBesideTable, type JournalAction } from './testing/journal-beside-table';
import { JournalRig } from './testing/journal-rig';

const outcomes = ['not_sent', 'done', 'rejected', 'unknown', 'undecidable', 'absent'] as const;
const handler = ['reserve', 'reserve', 'answer', 'answer unknown', 'release'] as const;
const others = [
  'reserve other',
  'conclude',
  'give up',
  'accept',
  'void',
  'crash',
  'restart',
  'expire',
  'forget',
] as const;
const send: JournalAction = { kind: 'send', purpose: 'open' };

const action: fc.Arbitrary<JournalAction> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...handler).map((kind) => ({ kind })) },
  { weight: 5, arbitrary: fc.constantFrom(...others).map((kind) => ({ kind })) },
  { weight: 3, arbitrary: fc.constantFrom<JournalAction>(send, send, { kind: 'send', purpose: 'close' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(1),
      outcome: fc.constantFrom(...outcomes),
    }),
  },
  { weight: 1, arbitrary: fc.boolean().map((full) => ({ kind: 'disk' as const, full })) },
);
/** Most requests are sent, so that random walks get far. */
const usual: readonly (readonly JournalAction[])[] = [
  [{ kind: 'reserve' }, send],
  [{ kind: 'settle', which: 0, outcome: 'unknown' }, { kind: 'answer unknown' }],
  [{ kind: 'settle', which: 0, outcome: 'undecidable' }, { kind: 'accept' }],
];
const walk = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: action.map((one) => [one]) }, { weight: 2, arbitrary: fc.constantFrom(...usual) }),
    {
      maxLength: 20,
    },
  )
  .map((parts) => parts.flat());

describe('the trade journal', () => {
  it('treats a key as the request-life table specifies', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async (actions) => {
        const rig = new JournalRig();
        try {
          const both = new JournalBesideTable(rig);
          for (const one of actions) {
            await both.take(one);
            expect(both.observed).toBe(both.expected);
          }
        } finally {
          await rig.stop();
        }
      }),
      { numRuns: effort(60, 2_000), endOnFailure: true },
    );
  });
});
