import { ask, send } from '../testing/sample';
import { storiesDiffer } from './accounts-agree';
import { auditProblems, intentsWithoutOutcome } from './audit-log';
import { unsettled } from './liveness';

describe('the end of a run', () => {
  it('fails for a request without a last word', () => {
    expect(unsettled([ask()], 900_000)).toEqual(['k1 (open) has no last word 900 s after the last fault']);
  });

  it('fails when clients and broker disagree', () => {
    const done = ask({ lastWord: 'done', order: 9, doneMarker: 'open 7 a' });
    expect(storiesDiffer('open 7 a', [], [done])).toHaveLength(1);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [done])).toEqual([]);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [ask({ lastWord: 'refused' })])).toHaveLength(1);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [ask({ lastWord: 'undecidable' })])).toEqual([]);
    // The key was acknowledged for its other parameters.
    const other = ask({ lastWord: 'done', order: 9, doneMarker: 'open 8 a' });
    expect(storiesDiffer('open 7 a', [], [other])).toEqual([]);
    expect(storiesDiffer('open 7 a', [send({ fate: 'done' })], [other])).toHaveLength(1);
    // What was forgotten may have been done beside what was acknowledged.
    const forgotten = send({ fate: 'done', isForgotten: true });
    expect(storiesDiffer('open 7 a', [forgotten, send({ fate: 'done' })], [done])).toEqual([]);
    expect(
      storiesDiffer(
        'open 7 a',
        [1, 2].map((number) => send({ number, fate: 'done' })),
        [done],
      ),
    ).toHaveLength(1);
  });
});

describe('the audit log holds together', () => {
  const line = (sequence: number, event: string, intent: string | null = null, second = sequence): string =>
    `${JSON.stringify({ timestamp: `2026-01-07T10:00:0${second}.000Z`, sequence, event, intent_id: intent })}\n`;
  const recorded = (sequence: number, record: string | null): string =>
    `${JSON.stringify({ timestamp: '2026-01-07T10:00:00.000Z', sequence, event: 'login', record })}\n`;

  it('when it is numbered, in time, and every intent has its outcome', () => {
    const text = line(1, 'intent', 'a') + line(2, 'broker_response', 'a') + line(3, 'kill_engaged');
    expect(auditProblems([text])).toEqual([]);
  });

  it('when each record of a journal follows the one before, over its files', () => {
    const texts = [
      recorded(1, 'a/4') + recorded(2, null) + recorded(3, 'a/5'),
      recorded(4, 'b/1') + recorded(5, 'a/6'),
    ];
    expect(auditProblems(texts)).toEqual([]);
    expect(auditProblems([...texts, recorded(6, 'a/6')])).toEqual(['record a/6 follows 6']);
    expect(auditProblems([...texts, recorded(6, 'a/8')])).toEqual(['record a/8 follows 6']);
  });

  it('over its files, and over a line that a crash cut short', () => {
    expect(auditProblems([line(1, 'intent', 'a'), `{"cut\n${line(2, 'unknown_outcome', 'a')}`])).toEqual([]);
  });

  it.each([
    ['a gap', line(1, 'login') + line(3, 'login')],
    ['a line back in time', line(1, 'login', null, 5) + line(2, 'login', null, 4)],
    ['an intent that is there twice', line(1, 'intent', 'a') + line(2, 'intent', 'a') + line(3, 'refused', 'a')],
    ['an intent without an outcome', line(1, 'intent', 'a')],
  ])('but not with %s', (_case, text) => {
    expect(auditProblems([text])).toHaveLength(1);
  });

  it('without the outcomes that a lost journal or a crash has taken, and those alone', () => {
    const texts = [line(1, 'intent', 'a') + line(2, 'intent', 'b') + line(3, 'refused', 'b'), line(4, 'intent', 'c')];
    expect(intentsWithoutOutcome(texts)).toEqual(['a', 'c']);
    expect(auditProblems(texts, new Set(['a', 'c']))).toEqual([]);
    expect(auditProblems(texts, new Set(['a']))).toEqual(['intent c has no outcome']);
  });
});
