import { nextStep } from './evidence-steps';

const steps = (mayRestart: boolean) => [0, 1, 2, 3].map((done) => nextStep(done, mayRestart));

describe('what follows while an account stays unexplained', () => {
  it('is a new session, the restart of the terminal where that is allowed, and then a person', () => {
    expect(steps(true).map(({ next, afterMs }) => [next, afterMs])).toEqual([
      ['renew', 10_000],
      ['restart', 60_000],
      [null, 300_000],
      [null, 600_000],
    ]);
    expect(steps(false).map(({ next }) => next)).toEqual(['renew', 'renew', null, null]);
  });

  it('leaves each new session the time to load its lists, also if an order in flight has delayed the step before', () => {
    expect(steps(true).map(({ restMs }) => restMs)).toEqual([0, 50_000, 50_000, 50_000]);
  });

  it('is named for the operator', () => {
    expect(steps(true).map(({ text }) => text)).toEqual([
      'a new session with the terminal, after 10 s',
      'the restart of the terminal, after 60 s',
      ...Array<string>(2).fill(
        'a person: compare the account with the broker, then restart the terminal or POST /account/accept',
      ),
    ]);
  });
});
