import { rejectsOf } from './report';

const denied = (reason: string) => ({ kind: 'denied' as const, reason });

describe('rejects that differ only in numbers', () => {
  it('count as one, with the range of each number that differs', () => {
    const rejects = ['1.08', '2.16', '1.5'].map((lots) => denied(`volume ${lots} is above maxVolume 1`));
    expect(rejectsOf({ rejects })).toEqual([
      { kind: 'denied', reason: 'volume 1.08 to 2.16 is above maxVolume 1', count: 3 },
    ]);
  });

  it('keep a number that is the same, and a reason that occurs once', () => {
    const rejects = [denied('price 1.10 is off'), denied('price 1.10 is off'), denied('retcode 10019')];
    expect(rejectsOf({ rejects })).toEqual([
      { kind: 'denied', reason: 'price 1.10 is off', count: 2 },
      { kind: 'denied', reason: 'retcode 10019', count: 1 },
    ]);
  });

  it('keep symbols apart, and show the first of their times', () => {
    const rejects = [denied('US500 at 10:05:30'), denied('US500 at 10:06:31'), denied('US30 at 10:06:30')];
    expect(rejectsOf({ rejects }).map(({ reason, count }) => [reason, count])).toEqual([
      ['US500 at 10:05:30', 2],
      ['US30 at 10:06:30', 1],
    ]);
  });
});
