import {
  earlierRequest,
  newRequest,
  next,
  type KeyReport,
  type RequestEffect,
  type RequestEvent,
  type RequestFacts,
  type Step,
} from './request-lifecycle';
import {
  answered,
  done,
  facts,
  failed,
  journal,
  refused,
  report,
  reported,
  timer,
  unknown,
  voided,
} from './testing/request-events';

const stale: RequestFacts = { ...facts, isFresh: false };

/** The effects of a request, in order. */
function effectsOf(first: Step, events: readonly RequestEvent[], of: RequestFacts = facts): (RequestEffect | null)[] {
  let { request } = first;
  return [
    first.effect,
    ...events.map((event) => {
      const step = next(request, event, of);
      request = step.request;
      return step.effect;
    }),
  ];
}
const last = (first: Step, events: readonly RequestEvent[], of: RequestFacts = facts) =>
  effectsOf(first, events, of).at(-1);
/** The first send was not answered. */
const lost = [answered(unknown), journal('A')];

describe('a trade request', () => {
  it.each([
    ['done', done],
    ['rejected', refused('broker_rejected')],
    ['refused before the journal', refused('validation_error', 400)],
    ['blocked', refused('kill_switch_active', 423)],
  ])('that is sent once and answered is concluded: %s', (_case, outcome) => {
    expect(effectsOf(newRequest(), [answered(outcome)])).toEqual([
      { type: 'send' },
      { type: 'conclude', conclusion: outcome },
    ]);
  });

  it('without an answer is read before it is resent, and resent only if the gateway does not know its key', () => {
    const types = effectsOf(newRequest(), [...lost, reported(null)]).map((effect) => effect?.type);
    expect(types).toEqual(['send', 'check journal', 'read key', 'send']);
    expect(last(newRequest(), [...lost, reported(report('completed'))])).toMatchObject({
      ...{ type: 'conclude', conclusion: { kind: 'done', replayed: true } },
    });
  });

  it.each([{ isFresh: false }, { isWanted: false }])('that must no longer be sent is made void: %j', (fact) => {
    const of = { ...facts, ...fact };
    expect(last(newRequest(), [...lost, reported(null)], of)).toEqual({ type: 'void key' });
    const events = [...lost, reported(null), voided(report('void', 422)), journal('A')];
    expect(last(newRequest(), events, of)).toMatchObject({ type: 'conclude', conclusion: { kind: 'absent' } });
  });

  const underItsKey: [KeyReport, object][] = [
    [report('completed'), { type: 'conclude', conclusion: { kind: 'done' } }],
    [report('recovered'), { type: 'conclude', conclusion: { kind: 'done' } }],
    [
      report('completed', 422, { ok: false, error_type: 'broker_rejected', error: 'no' }),
      { type: 'conclude', conclusion: { kind: 'rejected', errorType: 'broker_rejected' } },
    ],
    [report('absent', 422), { type: 'conclude', conclusion: { kind: 'absent' } }],
    [report('void', 422), { type: 'conclude', conclusion: { kind: 'absent' } }],
    [report('in_progress', 0, null), { type: 'wait', ms: 200 }],
    [report('unknown', 502, { ok: false }), { type: 'wait', ms: 200 }],
    [report('unknown', 502, { ok: false, details: { undecidable: true } }), { type: 'hold' }],
    [report('accepted', 502), { type: 'hold' }],
    [report('completed', 200, null), { type: 'wait', ms: 200 }],
  ];

  it.each(underItsKey)('is what the gateway has under its key: %j', (of, effect) => {
    expect(last(newRequest(), [...lost, reported(of)])).toMatchObject(effect);
  });

  it.each(underItsKey.filter(([{ status }]) => status !== 'void'))(
    'is what the gateway has under its key when it was to be made void: %j',
    (of, effect) => {
      expect(last(newRequest(), [...lost, reported(null), voided(of)], stale)).toMatchObject(effect);
    },
  );

  it('is not settled by a rejection of its resend: the first send may still arrive, unless its key is void', () => {
    const blocked = refused('kill_switch_active', 423);
    const events = [...lost, reported(null), answered(blocked)];
    expect(last(newRequest(), events)).toEqual({ type: 'void key' });
    expect(last(newRequest(), [...events, voided(report('completed'))])).toMatchObject({
      conclusion: { kind: 'done' },
    });
    expect(last(newRequest(), [...events, voided(report('void')), journal('A')])).toEqual({
      ...{ type: 'conclude', conclusion: blocked },
    });
    expect(last(newRequest(), [...lost, reported(null), answered(refused('broker_rejected'))])).toMatchObject({
      conclusion: { errorType: 'broker_rejected' },
    });
  });

  it('with a void key was not sent', () => {
    expect(last(newRequest(), [answered(refused('key_void'))])).toMatchObject({ conclusion: { kind: 'absent' } });
  });

  it('is held when the journal it was sent to was replaced or lost, and is not sent, voided or concluded', () => {
    expect(last(newRequest(), [answered(unknown), journal('B')])).toMatchObject({
      ...{ type: 'hold', reason: expect.stringContaining('another trade journal (B)') },
    });
    expect(last(newRequest(), [answered(unknown), journal('A', 'lost')])).toMatchObject({ type: 'hold' });
    const events = [...lost, reported(null), voided(report('void', 422))];
    expect(last(newRequest(), [...events, journal('B')], stale)).toMatchObject({ type: 'hold' });
    expect(last(newRequest(), [...events, journal(null)], stale)).toMatchObject({ type: 'wait' });
    // It says nothing about a request that was answered.
    expect(last(newRequest(), [answered(done)])).toMatchObject({ type: 'conclude' });
  });

  it('of version 0.1.0, which does not name its journal, is held only while the journal is lost', () => {
    const earlier = { ...stale, journalId: null };
    expect(last(earlierRequest(), [journal('B')], earlier)).toEqual({ type: 'read key' });
    expect(last(earlierRequest(), [journal('B', 'lost')], earlier)).toMatchObject({ type: 'hold' });
  });

  it('is settled by the operator only while it is held', () => {
    const settled: RequestEvent = { type: 'settled', conclusion: { kind: 'absent', reason: 'by the operator' } };
    expect(last(newRequest(), [settled])).toBeNull();
    expect(last(newRequest(), [answered(unknown), journal('B'), settled])).toEqual({
      ...{ type: 'conclude', conclusion: settled.conclusion },
    });
  });

  describe('that is held', () => {
    const held = [answered(unknown), journal('B')];
    const again = [...held, timer, journal('A')];

    it('checks the journal periodically, and reads its key when the original journal is back', () => {
      const types = effectsOf(newRequest(), [...held, timer, journal('B'), timer, journal('A')]).map(
        (effect) => effect?.type,
      );
      expect(types.slice(2)).toEqual(['hold', 'check journal', 'stay held', 'check journal', 'read key']);
      expect(last(newRequest(), [...again, reported(report('completed'))])).toMatchObject({
        ...{ type: 'conclude', conclusion: { kind: 'done' } },
      });
    });

    it.each([failed, reported(report('unknown')), reported(report('accepted')), reported(report('in_progress'))])(
      'stays held while the outcome is not known: %j',
      (event) => {
        expect(last(newRequest(), [...again, event])).toMatchObject({ type: 'stay held' });
      },
    );

    it('continues normally when its journal does not have its key: everything is read again', () => {
      const events = [...again, reported(null), journal('A'), reported(null)];
      expect(last(newRequest(), events)).toEqual({ type: 'send' });
      expect(last(newRequest(), events, stale)).toEqual({ type: 'void key' });
      expect(last(newRequest(), [...again, reported(null), journal('B')])).toMatchObject({ type: 'hold' });
    });

    it('can be settled at any time, and later reads change nothing', () => {
      const conclusion = { kind: 'absent', reason: 'by the operator' } as const;
      for (const events of [held, [...held, timer], again]) {
        const settled = [...events, { type: 'settled', conclusion } as const];
        expect(last(newRequest(), settled)).toEqual({ type: 'conclude', conclusion });
        expect(last(newRequest(), [...settled, reported(report('completed'))])).toBeNull();
      }
    });

    it('is not looked up during a shutdown', () => {
      expect(last(newRequest(), [...held, { type: 'stopping' }])).toBeNull();
    });

    it('of version 0.1.0 stays held: which journal is its own is unknown', () => {
      const earlier = { ...stale, journalId: null };
      const events = [journal('B', 'lost'), timer, journal('B')];
      expect(last(earlierRequest(), events, earlier)).toMatchObject({ type: 'stay held' });
    });
  });

  it('is held while its gateway is not configured, and continues afterwards', () => {
    const gone: RequestEvent = { type: 'not configured', gateway: 'demo' };
    expect(last(earlierRequest(), [gone])).toMatchObject({
      ...{ type: 'hold', reason: expect.stringContaining('gateway demo is not configured') },
    });
    expect(last(earlierRequest(), [gone, timer, journal('A')])).toEqual({ type: 'read key' });
  });

  it('waits longer with each round, and hardly at all during a shutdown', () => {
    const rounds = [0, 1, 2, 3, 4, 5, 6, 7].flatMap(() => [failed, timer]);
    const waits = effectsOf(earlierRequest(), rounds).flatMap((effect) => (effect?.type === 'wait' ? effect.ms : []));
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    expect(last(earlierRequest(), [...rounds, failed], { ...facts, isStopping: true })).toEqual({
      ...{ type: 'wait', ms: 200 },
    });
    expect(last(earlierRequest(), [failed, { type: 'stopping' }])).toEqual({ type: 'check journal' });
  });
});
