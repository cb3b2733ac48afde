import type { OrderAnswer, TradeOutcome } from '@libs/gateway-client';
import fc from 'fast-check';
import {
  earlierRequest,
  newRequest,
  next,
  type KeyReport,
  type OpenRequest,
  type RequestEffect,
  type RequestEvent,
  type RequestFacts,
  type Step,
} from './request-lifecycle';

type Outcome = TradeOutcome<OrderAnswer>;

const facts: RequestFacts = { journalId: 'A', isFresh: true, isWanted: true, isStopping: false };
const stale: RequestFacts = { ...facts, isFresh: false };
const done: Outcome = { kind: 'done', status: 200, body: { result: { order: 7 } }, replayed: false };
const unknown: Outcome = { kind: 'unknown', reason: 'no answer', status: null, errorType: null, retryAfterMs: null };
const refused = (errorType: string, status = 422): Outcome => {
  const refusal = { status, errorType, error: errorType, details: null, terminalError: null };
  return status === 423 ? { kind: 'blocked', ...refusal } : { kind: 'rejected', retryable: false, ...refusal };
};
const report = (status: KeyReport['status'], response_status = 200, response: unknown = { ok: true }): KeyReport => ({
  ...{ status, response_status, response },
});

const answered = (outcome: Outcome): RequestEvent => ({ type: 'answered', outcome });
const journal = (id: string | null, state: 'ok' | 'lost' = 'ok'): RequestEvent => ({
  ...{ type: 'journal', journal: { id, state } },
});
const reported = (of: KeyReport | null): RequestEvent => ({ type: 'reported', report: of });
const voided = (of: KeyReport): RequestEvent => ({ type: 'voided', report: of });
const failed: RequestEvent = { type: 'failed' };
const timer: RequestEvent = { type: 'timer' };

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

describe('any order of events', () => {
  const statuses = ['in_progress', 'completed', 'unknown', 'recovered', 'absent', 'accepted', 'void'] as const;
  const outcomes = [done, unknown, refused('broker_rejected'), refused('key_void'), refused('blocked', 423)];
  const reports = statuses.flatMap((status) => [report(status), report(status, 422, { ok: false })]);
  const everyEvent: readonly RequestEvent[] = [
    ...outcomes.map(answered),
    ...[journal('A'), journal('B'), journal(null), journal('A', 'lost')],
    ...[null, ...reports].map(reported),
    ...reports.map(voided),
    ...[failed, timer, { type: 'stopping' } as const, { type: 'not configured', gateway: 'demo' } as const],
    { type: 'settled', conclusion: { kind: 'absent', reason: 'by the operator' } },
  ];
  /** Events that a request awaits are delivered as often as all others together, so that every state is reached. */
  const awaitedTypes: Readonly<Record<OpenRequest['awaits'], readonly RequestEvent['type'][]>> = {
    ...{ answer: ['answered'], journal: ['journal', 'failed'], report: ['reported', 'failed'] },
    ...{ void: ['voided', 'failed'], proof: ['journal', 'failed'], timer: ['timer', 'stopping'] },
    ...{ nothing: ['timer'] },
  };
  const eventFor = ({ awaits }: OpenRequest, isAwaited: boolean, pick: number): RequestEvent => {
    const events = everyEvent.filter(({ type }) => !isAwaited || awaitedTypes[awaits].includes(type));
    return events[pick % events.length] ?? timer;
  };
  const turn = fc.record({
    isAwaited: fc.boolean(),
    pick: fc.nat(),
    of: fc.record({
      ...{ journalId: fc.constant('A'), isFresh: fc.boolean(), isWanted: fc.boolean(), isStopping: fc.boolean() },
    }),
  });
  const start = fc.constantFrom(newRequest, earlierRequest);
  const turns = fc.array(turn, { minLength: 1, maxLength: 40 });

  /** Delivers every event, whether or not the request awaits it, and checks each step. */
  function expectOfEachStep(
    isRight: (step: Step, before: OpenRequest, event: RequestEvent, of: RequestFacts) => boolean,
  ): void {
    const property = fc.property(start, turns, (begin, delivered) => {
      let { request } = begin();
      return delivered.every(({ isAwaited, pick, of }) => {
        const before = request;
        const event = eventFor(before, isAwaited, pick);
        const step = next(before, event, of);
        request = step.request;
        return isRight(step, before, event, of);
      });
    });
    expect(fc.check(property, { numRuns: 2_000, seed: 16 })).toMatchObject({ failed: false, counterexample: null });
  }
  const isNotKnown = (event: RequestEvent): boolean => event.type === 'reported' && event.report === null;
  const says = (event: RequestEvent, ...of: readonly string[]): boolean =>
    (event.type === 'reported' || event.type === 'voided') && of.includes(String(event.report?.status));
  /** The journal that the request was sent to, after its key was made void there. */
  const isProof = (before: OpenRequest, event: RequestEvent): boolean =>
    before.awaits === 'proof' && event.type === 'journal' && event.journal.id === 'A' && event.journal.state === 'ok';

  it('sends at most one copy at a time, and resends only a fresh and wanted request that the gateway does not know', () => {
    expectOfEachStep(({ effect }, before, event, of) => {
      return effect?.type !== 'send' || (before.awaits === 'report' && isNotKnown(event) && of.isFresh && of.isWanted);
    });
  });

  it('concludes that a request was not sent only from a statement of the gateway or the operator', () => {
    expectOfEachStep(({ effect }, before, event) => {
      if (effect?.type !== 'conclude' || effect.conclusion.kind !== 'absent') return true;
      if (event.type === 'settled') return before.isHeld;
      if (event.type === 'answered') return event.outcome.kind === 'rejected' && event.outcome.errorType === 'key_void';
      return says(event, 'absent') || (event.type === 'reported' && says(event, 'void')) || isProof(before, event);
    });
  });

  it('concludes from a rejection before the journal only for a request that was sent once, or has a void key', () => {
    expectOfEachStep(({ effect }, before, event) => {
      if (effect?.type !== 'conclude' || effect.conclusion.kind !== 'blocked') return true;
      return !before.wasSent || isProof(before, event) || (event.type === 'reported' && says(event, 'void'));
    });
  });

  it('leaves a request with exactly one outstanding effect until it is settled, and none after that', () => {
    const awaitedBy = {
      ...{ send: 'answer', 'check journal': 'journal', 'read key': 'report', 'void key': 'void', wait: 'timer' },
      ...{ conclude: 'nothing', hold: 'timer', 'stay held': 'timer' },
    } as const;
    expectOfEachStep(({ request, effect }, before) => {
      if (effect === null) return request === before;
      const awaits = request.awaits === 'proof' ? 'journal' : request.awaits;
      return before.awaits !== 'nothing' && awaits === awaitedBy[effect.type];
    });
  });

  it('is held as soon as the journal is replaced', () => {
    expectOfEachStep(({ request }, before, event) => {
      const isOther = event.type === 'journal' && (event.journal.id === 'B' || event.journal.state === 'lost');
      return !isOther || !['journal', 'proof'].includes(before.awaits) || request.isHeld;
    });
  });

  it('is held until the operator settles it, or the gateway has its journal and the outcome', () => {
    expectOfEachStep(({ request, effect }, before, event) => {
      if (!before.isHeld || request.isHeld) return true;
      if (event.type === 'settled') return effect?.type === 'conclude';
      if (before.awaits !== 'report') return false;
      // Its key is read only in the journal that it was sent to. Where that does not know it, all begins again.
      return effect?.type === 'conclude' || (isNotKnown(event) && effect?.type === 'check journal');
    });
  });

  it('sends nothing and makes no key void while it is held, and reads its key only in its own journal', () => {
    expectOfEachStep(({ effect }, before, event) => {
      if (!before.isHeld || effect === null) return true;
      if (effect.type === 'send' || effect.type === 'void key') return false;
      return effect.type !== 'read key' || (event.type === 'journal' && event.journal.id === 'A');
    });
  });
});
