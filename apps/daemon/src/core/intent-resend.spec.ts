import type { IntentFacts, IntentStep } from './intent-life';
import { earlierIntent, newIntent, next } from './intent-lifecycle';
import type { IntentRecord } from './records';
import { answered, journal, reported, unknown } from './testing/request-events';

const sentAtMs = 1_000;
const of = { ...{ strategy: 'ema', broker: 'demo', stream: 'eur', symbol: 'EURUSD' }, createdAtMs: sentAtMs } as const;
const entry: IntentRecord = {
  ...{ ...of, key: 'e', intentId: 'e', ticket: null, call: { method: 'POST', path: '/order', body: {} } },
  ...{ isEntry: true, journalId: 'A', state: 'open', outcome: null },
};
const exit: IntentRecord = {
  ...{ ...of, key: 'x', intentId: 'x', ticket: 7, isEntry: false },
  ...{ call: { method: 'POST', path: '/close_position', body: { position: { ticket: 7 } } } },
  ...{ journalId: 'A', state: 'open', outcome: null },
};

function factsAt(nowMs: number): IntentFacts {
  return {
    ...{ nowMs, monotonicMs: nowMs, isWanted: true, isStopping: false, hasGateway: true, journalId: 'A' },
    ...{ openVolume: '1', isSettled: true },
  };
}

/** The effect when the gateway reports, at this age of the request, that it has no record of its key. */
function whenUnknownAfter(ageMs: number, first: IntentStep, sends: boolean): string | undefined {
  const events = sends
    ? [{ type: 'written', isDurable: true, order: null } as const, answered(unknown), journal('A')]
    : [journal('A')];
  let { life } = first;
  for (const event of events) ({ life } = next(life, event, factsAt(sentAtMs)));
  return next(life, reported(null), factsAt(sentAtMs + ageMs)).effect?.type;
}

describe('a request that the gateway has no record of', () => {
  it.each([
    ['10 seconds', 'an entry', entry, 10_000],
    ['an hour', 'an exit', exit, 3_600_000],
  ])('is sent again for %s if it is %s, and is then made void', (_age, _what, record, mostMs) => {
    const first = newIntent(record, factsAt(sentAtMs));
    expect(whenUnknownAfter(mostMs, first, true)).toBe('send');
    expect(whenUnknownAfter(mostMs + 1, first, true)).toBe('void key');
  });

  it('is sent again after a restart only if it is an exit', () => {
    expect(whenUnknownAfter(0, earlierIntent(exit, factsAt(sentAtMs)), false)).toBe('send');
    expect(whenUnknownAfter(0, earlierIntent(entry, factsAt(sentAtMs)), false)).toBe('void key');
  });
});
