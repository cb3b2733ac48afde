import fc from 'fast-check';
import {
  earlierRequest,
  newRequest,
  next,
  type OpenRequest,
  type RequestEvent,
  type RequestFacts,
  type Step,
} from './request-lifecycle';
import {
  answered,
  done,
  failed,
  journal,
  refused,
  report,
  reported,
  timer,
  unknown,
  voided,
} from './testing/request-events';

describe('a trade request, in any order of events', () => {
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
