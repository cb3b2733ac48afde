import { AskBook } from '../asks';
import type { Raise } from '../fenced-strategies';
import type { SendRecord } from '../sends';
import { answer, ask, send } from '../testing/sample';
import { FenceUse } from './fence-use';

const raise = (token: number, changes: Partial<Raise> = {}): Raise => ({
  ...{ name: 'trend', token, magics: [7] },
  ...changes,
});
const audited = (token: number): string =>
  `{"event":"fence_raised","fence":"trend","fence_token":${token},"fence_magics":[7]}\n`;

/** What a judge says of the answers of a gateway, without a gateway. */
function judging() {
  const found: string[] = [];
  const sends: SendRecord[] = [];
  const book = new AskBook();
  const fences = new FenceUse(
    { sends, book, broker: { magicsOf: ({ magic }) => [magic] } },
    () => false,
    (_invariant, problems) => found.push(...problems),
  );
  const raised = (wanted: Raise, status = 200, type?: string): void =>
    fences.raiseAnswered(fences.delivered(wanted), answer(status, type ? { error_type: type } : {}));
  const problemsOf = (token: number | null, name = 'trend'): string[] => {
    found.length = 0;
    fences.sending(send(), [ask({ fence: token === null ? null : { name, token } })]);
    return [...found];
  };
  return { fences, found, sends, book, raised, problemsOf };
}

describe('the fences that a judge knows', () => {
  it('allow the newest token alone, and nothing without the fence of a magic number', () => {
    const { raised, problemsOf } = judging();
    expect(problemsOf(null)).toEqual([]);
    raised(raise(2));
    expect([problemsOf(2), problemsOf(1), problemsOf(3), problemsOf(null)].map(({ length }) => length)).toEqual([
      0, 1, 1, 1,
    ]);
  });

  it('allow a token whose raise is not answered, and not one whose raise was refused', () => {
    const { fences, raised, problemsOf } = judging();
    raised(raise(2), 503, 'fence_pending');
    raised(raise(3), 503, 'journal_unavailable');
    fences.raiseAnswered(fences.delivered(raise(4)), null);
    fences.delivered(raise(5));
    raised(raise(6), 409, 'fence_conflict');
    expect([2, 3, 4, 5, 6].map((token) => problemsOf(token).length)).toEqual([0, 1, 0, 0, 1]);
  });

  it('are raised anew after a loss of the journal, and keep their magic numbers if the audit log has them', () => {
    const { fences, raised, problemsOf } = judging();
    raised(raise(2));
    fences.journalLost([audited(2)]);
    expect([problemsOf(2), problemsOf(null)].map(({ length }) => length)).toEqual([1, 1]);
    raised(raise(2), 409, 'fence_conflict');
    expect(problemsOf(2)).toHaveLength(1);
    raised(raise(9));
    expect(problemsOf(9)).toEqual([]);
    fences.journalLost([audited(2)]);
    expect(problemsOf(null)).toEqual([]);
  });

  it('move a magic number with the raise that names it, for certain if no other one overlaps', () => {
    const { fences, raised, problemsOf } = judging();
    raised(raise(2));
    const slow = fences.delivered(raise(3));
    raised(raise(1, { name: 'range' }));
    fences.raiseAnswered(slow, answer(200, {}));
    expect([problemsOf(3), problemsOf(1, 'range'), problemsOf(null)].map(({ length }) => length)).toEqual([0, 0, 1]);
    raised(raise(2, { name: 'range' }));
    expect(problemsOf(3)).toHaveLength(1);
  });

  it('are shown by the gateway as they were answered before it was asked', () => {
    const { fences, found, raised } = judging();
    raised(raise(2));
    fences.shown(answer(200, { data: [] }), []);
    expect(found).toEqual([]);
    fences.shown(answer(200, { data: [] }), fences.known);
    expect(found).toHaveLength(1);
  });

  it('wait for the sends of their run that have no outcome', () => {
    const { found, sends, book, raised } = judging();
    book.add(ask({ fence: { name: 'trend', token: 1 } }));
    sends.push(send());
    raised(raise(2, { magics: [] }));
    expect(found).toEqual([expect.stringContaining('while send 1')]);
  });
});
