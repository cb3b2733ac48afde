import { send } from '../testing/sample';
import { forgottenRaise, raisedBack, raisedWhileSending, sentThoughFenced, type KnownFences } from './fences';

const fences: KnownFences = {
  answered: (name) => (name === 'trend' ? 5 : 0),
  maybeRaised: ({ token }) => token <= 6,
  ownersOf: (magic) => (magic === 7_001 ? ['trend', 'range'] : null),
};
const claim = (token: number, name = 'trend') => ({ name, token });

describe('nothing is sent past a fence', () => {
  const problems = (magic: number, ...claims: Parameters<typeof sentThoughFenced>[2][number][]): string[] =>
    sentThoughFenced(send(), magic, claims, fences);

  it.each([
    ['below the token that was answered', 9, claim(4)],
    ['under a token that was not raised', 9, claim(7)],
    ['with the magic number of a fence and without one', 7_001, null],
    ['with the magic number of another fence', 7_001, claim(3, 'other')],
  ])('fails %s', (_case, magic, wrong) => {
    expect(problems(magic, wrong)).toHaveLength(1);
    // Another request may be the one that is sent.
    expect(problems(magic, wrong, claim(5))).toEqual([]);
  });

  it('holds under the newest token, or one whose raise is not answered yet, and without any fence', () => {
    expect([problems(9, claim(5)), problems(7_001, claim(6)), problems(9, null), problems(7_001)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});

describe('a raise', () => {
  it('fails when it is answered though a higher token was', () => {
    expect(raisedBack(claim(4), 5)).toHaveLength(1);
    expect(raisedBack(claim(5), 5)).toEqual([]);
  });

  it('fails when it is answered while a send goes on that it fences out', () => {
    expect(raisedWhileSending(claim(5), [send(), send({ answeredAtMs: 1 })])).toHaveLength(1);
  });

  it('fails when the gateway does not show it as it was answered', () => {
    const raise = { ...claim(5), magics: [7_001], maybeHeld: false };
    const fence = { strategy: 'trend', token: 5, magics: [7_001], state: 'raised' };
    const wrong = [[], [{ ...fence, token: 4 }], [{ ...fence, magics: [] }], [{ ...fence, state: 'held' }]];
    expect(wrong.map((shown) => forgottenRaise(raise, shown).length)).toEqual([1, 1, 1, 1]);
    expect(forgottenRaise(raise, [{ ...fence, token: 6 }])).toEqual([]);
    expect(forgottenRaise({ ...raise, maybeHeld: true }, [{ ...fence, state: 'held', token: 9 }])).toEqual([]);
  });
});
