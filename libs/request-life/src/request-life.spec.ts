import fc from 'fast-check';
import { effort } from '../../../test/setup/effort';
import { moveName, step, storedLife, type Step } from './request-life';
import { requestMoves } from './request-moves';
import {
  freeKey,
  requestStates,
  statusOf,
  storedStatuses,
  type RequestLife,
  type RequestState,
  type SendOutcomeState,
  type SendState,
} from './request-state';
import { ModelGateway, type Action } from './testing/model-gateway';
import type { RequestEvent } from './request-event';

const outcomes = ['not_sent', 'done', 'rejected', 'unknown', 'undecidable', 'absent'] as const;
const states = Object.keys(requestStates) as RequestState[];

const handler: readonly Action['kind'][] = ['reserve', 'reserve', 'reserve', 'answer', 'answer_unknown', 'release'];
const others: readonly Action['kind'][] = [
  'reserve_other',
  'reserve_fenced',
  'conclude',
  'conclude',
  'give_up',
  'accept',
  'void',
];
const time: readonly Action['kind'][] = ['expire_response', 'forget', 'rewrite'];

function plain(kinds: readonly Action['kind'][]): fc.Arbitrary<Action> {
  return fc.constantFrom(...kinds).map((kind) => ({ kind }) as Action);
}

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: plain(handler) },
  { weight: 5, arbitrary: plain(others) },
  { weight: 2, arbitrary: plain(time) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('intend' as const), reducesRisk: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant('settle' as const), which: fc.nat(2) },
      outcome: fc.constantFrom<SendOutcomeState>(...outcomes),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('broker' as const), which: fc.nat(2), executes: fc.boolean() }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('disk' as const), succeeds: fc.constantFrom(true, true, true, false) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), kept: fc.nat(2) }) },
);

/** What happens to most requests, so that random walks get far. */
const usual: readonly (readonly Action[])[] = [
  [{ kind: 'reserve' }, { kind: 'intend', reducesRisk: false }, { kind: 'disk', succeeds: true }],
  [{ kind: 'settle', which: 0, outcome: 'unknown' }, { kind: 'answer_unknown' }, { kind: 'disk', succeeds: true }],
];
const walk = fc
  .array(fc.oneof({ weight: 8, arbitrary: action.map((one) => [one]) }, fc.constantFrom(...usual)), { maxLength: 40 })
  .map((parts) => parts.flat());

/** Any sequence of events, with writes that end late, fail, or are cut short by a crash; throws at a broken promise. */
function anyWalk(decide: typeof step) {
  return fc.property(walk, (actions) => {
    const gateway = new ModelGateway(decide);
    for (const one of actions) gateway.take(one);
  });
}

describe('the life of a trade request', () => {
  it('sends nothing twice, settles once and states nothing false, for any events and crashes', () => {
    fc.assert(anyWalk(step), { numRuns: effort(5_000, 500_000) });
  });

  // The shortest walk that a search finds may break one promise or another.
  const sentOrReserved = /a key is sent again|unknown becomes reserved without evidence/;
  const sentOrVoid = /a key is sent again|a key becomes void after a send/;
  it.each<[string, string | RegExp, typeof step]>([
    ['sends under a void key', 'void becomes in_progress', inPlaceOf('reserved_void', 'intend', 'reserved')],
    ['sends an unknown request again', sentOrReserved, inPlaceOf('unknown', 'reserve', 'free')],
    ['forgets a request at a restart', sentOrVoid, inPlaceOf('in_progress', 'restart', 'free')],
    ['makes a key void after a send', 'a key becomes void after a send', inPlaceOf('in_progress', 'void', 'reserved')],
    ['forgets what may be done', 'a request is forgotten that may be done', withoutSends('release')],
    ['answers with an open outcome', 'in_progress is answered with an open outcome', definite],
    ['reserves a key for a fenced request', 'a fenced request reserves the key', unfenced],
    ['settles a send again', /(done|rejected|not_sent) becomes unknown/, settledAnew],
  ])('would break its promises if it %s: %s', (_what, broken, decide) => {
    const { errorInstance } = fc.check(anyWalk(decide), { numRuns: 20_000 });
    expect(String(errorInstance)).toMatch(broken);
  });

  it('changes a settled request only when a late answer shows what was done', () => {
    const settled = ['completed', 'recovered', 'absent', 'accepted'] as const;
    const changes = settled.flatMap((state) =>
      Object.values(requestMoves[state]).flatMap((move) =>
        'to' in move && move.to !== state && move.to !== 'free' ? [[state, move.to]] : [],
      ),
    );
    expect(changes).toEqual([
      ['absent', 'recovered'],
      ['accepted', 'recovered'],
      ['accepted', 'absent'],
    ]);
  });

  it('reaches every state, and takes every move of the table', () => {
    const { reached, taken } = explored();
    expect([...reached].sort()).toEqual([...states].sort());
    const moves = states.flatMap((state) => Object.keys(requestMoves[state]).map((move) => `${state} ${move}`));
    expect(moves.filter((move) => !taken.has(move))).toEqual([]);
  });
});

/** A table that mistakes one state for another at one event. */
function inPlaceOf(state: RequestState, kind: RequestEvent['kind'], taken: RequestState): typeof step {
  return (life, event) => step(life.state === state && event.kind === kind ? { ...life, state: taken } : life, event);
}

/** A table that ignores the sends at one event. */
function withoutSends(kind: RequestEvent['kind']): typeof step {
  return (life, event) => step(event.kind === kind ? { ...life, sends: {} } : life, event);
}

/** A table that treats every answer as definite. */
function definite(life: RequestLife, event: RequestEvent): Step {
  const result = step(life, event);
  const isOpen = result.kind === 'moved' && result.life.state === 'answering_unknown' && event.kind === 'answer';
  return isOpen ? { ...result, life: { ...result.life, state: 'answering' } } : result;
}

/** A table that ignores the fence. */
function unfenced(life: RequestLife, event: RequestEvent): Step {
  return step(life, event.kind === 'reserve' ? { ...event, isFenced: false } : event);
}

/** A table that lets an unknown outcome replace a settled one. */
function settledAnew(life: RequestLife, event: RequestEvent): Step {
  if (event.kind !== 'settle' || event.outcome !== 'unknown') return step(life, event);
  return step({ ...life, sends: { ...life.sends, [event.send]: 'pending' } }, event);
}

const sends = ['id/0', 'id/1'] as const;
const events: readonly RequestEvent[] = [
  ...[true, false].map((sameRequest) => ({ kind: 'reserve', sameRequest }) as const),
  { kind: 'reserve', sameRequest: true, isFenced: true },
  ...[true, false].map((unknown) => ({ kind: 'answer', unknown }) as const),
  ...sends.flatMap((send): RequestEvent[] => [
    { kind: 'intend', send },
    { kind: 'intent_durable', send },
    { kind: 'intent_failed', send, reducesRisk: true },
    { kind: 'intent_failed', send, reducesRisk: false },
    ...outcomes.map((outcome) => ({ kind: 'settle', send, outcome }) as const),
  ]),
  ...([
    ...(['answer_kept', 'release', 'conclude', 'give_up', 'accept', 'void', 'void_durable', 'void_failed'] as const),
    ...(['expire_response', 'forget', 'restart'] as const),
  ].map((kind) => ({ kind })) satisfies RequestEvent[]),
];

/** Every life with at most two sends that any sequence of events leads to. */
function explored(): { readonly reached: ReadonlySet<RequestState>; readonly taken: ReadonlySet<string> } {
  const taken = new Set<string>();
  const lives = new Map<string, RequestLife>([[JSON.stringify(freeKey), freeKey]]);
  for (const life of lives.values()) {
    for (const event of events) {
      const result = step(life, event);
      taken.add(`${life.state} ${moveName(life.sends, event)}`);
      if (result.kind === 'moved') lives.set(JSON.stringify(result.life), result.life);
    }
  }
  return { reached: new Set([...lives.values()].map(({ state }) => state)), taken };
}

describe('the life of a request that is on disk', () => {
  it.each(storedStatuses)('%s keeps its status', (status) => {
    expect(statusOf(storedLife(status, {}).state)).toBe(status);
  });

  it.each<[readonly SendState[], string]>([
    [['unknown', 'undecidable'], 'unknown'],
    [['undecidable', 'undecidable'], 'undecidable'],
    [['done', 'undecidable'], 'undecidable'],
    [['done', 'absent'], 'unknown'],
    [[], 'unknown'],
  ])('is, with the sends %j of an unknown request, %s', (sends, state) => {
    const byId = Object.fromEntries(sends.map((send, index) => [`id/${index}`, send]));
    expect(storedLife('unknown', byId).state).toBe(state);
  });
});
