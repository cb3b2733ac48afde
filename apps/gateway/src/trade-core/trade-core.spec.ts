import fc from 'fast-check';
import { isOpenStatus } from '@libs/request-life';
import type { NewIntent, SettledOutcome } from './journal-records';
import { CoreRig } from './testing/core-rig';
import { isRunning } from './trade-state';

const keys = ['a', 'b'] as const;
type Key = (typeof keys)[number];

type Action =
  | { readonly kind: 'request' | 'release' | 'void'; readonly key: Key }
  | { readonly kind: 'other'; readonly key: Key }
  | { readonly kind: 'intend'; readonly key: Key; readonly purpose: NewIntent['purpose'] }
  | { readonly kind: 'settle'; readonly key: Key; readonly outcome: SettledOutcome['kind'] }
  | { readonly kind: 'answer'; readonly key: Key; readonly status: number }
  | { readonly kind: 'resolve'; readonly key: Key; readonly status: 'recovered' | 'absent' }
  | { readonly kind: 'write'; readonly succeeds: boolean; readonly isTold: boolean }
  | { readonly kind: 'disk tried' | 'crash' | 'tell' };

const key = fc.constantFrom(...keys);
const purpose = fc.constantFrom<NewIntent['purpose'][]>('open', 'close', 'modify_order');
const outcome = fc.constantFrom<SettledOutcome['kind'][]>('done', 'rejected', 'unknown', 'not_sent', 'absent');
/** Lines that take longer: the end of a write is known after that of a later one. */
const isTold = fc.boolean();
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('request' as const, 'void' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('request' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'other' as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('intend' as const), key, purpose }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), key, outcome }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), key, status: fc.constantFrom(200, 422, 502) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      key,
      status: fc.constantFrom('recovered' as const, 'absent' as const),
    }),
  },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('write' as const), succeeds: fc.constant(true), isTold }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), succeeds: fc.constant(false), isTold }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('disk tried' as const, 'crash' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tell' as const) }) },
);

function take(rig: CoreRig, one: Action): void {
  switch (one.kind) {
    case 'request':
      return void rig.request(one.key, 'f');
    case 'other':
      return void rig.request(one.key, 'g');
    case 'release':
      return rig.release(one.key);
    case 'void':
      return void rig.makeVoid(one.key);
    case 'intend':
      return void rig.intend(one.key, one.purpose);
    case 'settle':
      return rig.settle(one.key, one.outcome);
    case 'answer':
      return rig.answer(one.key, one.status);
    case 'resolve':
      return rig.resolve(one.key, one.status);
    case 'write':
      return rig.endWrite(one.succeeds, one.isTold);
    case 'tell':
      return rig.tell();
    case 'disk tried':
      return void rig.deliver({ type: 'disk tried' });
    case 'crash':
      return rig.crash();
  }
}

/** What the disk has is what the core has, or had when the request ended. */
function expectOnDisk(rig: CoreRig): void {
  const { disk, core } = rig;
  for (const request of core.state.requests.values()) {
    const { record, intents, state } = request;
    for (const intent of intents.values()) expect(disk.intents.get(intent.id)).toEqual(intent);
    if (intents.size > 0 && !state.startsWith('reserved')) expect(disk.requests.get(record.key)).toBeDefined();
  }
  for (const [one, record] of disk.requests) expect(disk.open.has(one)).toBe(isOpenStatus(record.status));
  for (const {
    id,
    outcome: { kind },
  } of disk.intents.values()) {
    const isKnown = [...core.state.requests.values()].some(({ intents }) => intents.has(id));
    if (!isKnown && rig.sent.has(id)) expect(kind).not.toBe('pending');
  }
}

describe('the trade core', () => {
  it('shows an outcome after its write has ended, and only once', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'done');
    expect(rig.shown).toEqual([]);
    expect(rig.core.state.claims.get(1)).toMatchObject({ isShown: false });
    rig.answer('a', 200);
    rig.endWrite(true);
    expect(rig.shown).toMatchObject([{ outcome: { kind: 'done' } }]);
    rig.endWrite(true);
    expect(rig.shown).toHaveLength(1);
    expect(rig.core.state.requests.size).toBe(0);
    expect(rig.disk.requests.get('a')).toMatchObject({ status: 'completed', response: '{}' });
    expect(rig.disk.claims.get(1)).toMatchObject({ clientOrderId: 'a' });
  });

  it('shows neither outcome nor ticket when its answer is on disk before its own write has ended', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'done');
    rig.answer('a', 200);
    const [outcome] = rig.writes.splice(0, 1);
    rig.endWrite(true);
    expect(rig.disk.claims.size).toBe(1);
    expect([rig.shown, rig.core.state.claims.get(1)?.isShown]).toEqual([[], false]);
    if (outcome) rig.writes.push(outcome);
    rig.endWrite(true);
    expect([rig.shown.length, rig.core.state.claims.size]).toEqual([1, 0]);
  });

  it('keeps the outcome of a failed write with the answer, and writes all of it once the disk works', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'done');
    rig.answer('a', 200);
    rig.endWrite(false);
    rig.endWrite(false);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'answer', known: { record: { status: 'completed' } } }]);
    expect(rig.disk.intents.get('id1/0')).toMatchObject({ outcome: { kind: 'pending' } });
    rig.calm();
    expect(rig.disk.intents.get('id1/0')).toMatchObject({ outcome: { kind: 'done' } });
    expect(rig.disk.claims.get(1)).toMatchObject({ clientOrderId: 'a' });
    expect(rig.disk.open.size + rig.core.state.requests.size).toBe(0);
  });

  it('shows the outcome of a request that was released before its line was written', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'not_sent');
    rig.endWrite(true, false);
    rig.release('a');
    rig.endWrite(true);
    expect(rig.core.state.requests.size).toBe(0);
    rig.tell();
    expect(rig.shown).toMatchObject([{ outcome: { kind: 'not_sent' } }]);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'begin' }]);
  });

  it('takes neither a send nor an answer under a request that is being released', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'not_sent');
    const request = rig.core.state.requests.get('a');
    const id = request?.record.id ?? '';
    rig.release('a');
    const response = { status: 200, body: '{}' };
    const intent = { purpose: 'open', request: request?.intents.get(`${id}/0`)?.request } as NewIntent;
    for (const more of [
      { type: 'answered', key: 'a', id, response },
      { type: 'intended', key: 'a', id, intent, facts: {} },
      { type: 'released', key: 'a', id },
    ] as const) {
      expect(() => rig.core.handle({ ...more, at: { utcMs: 1, runningMs: 1 } }, [])).toThrow('request a is released');
    }
    rig.calm();
    expect([rig.disk.requests.size, rig.sent.size]).toEqual([0, 1]);
  });

  it('keeps an answer that is given while an intent is being written, and sends nothing', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.answer('a', 422);
    rig.endWrite(true, false);
    rig.endWrite(true);
    rig.tell();
    expect(rig.sent.size).toBe(0);
    expect(rig.request('a', 'f')).toMatchObject([
      { type: 'answer', known: { record: { status: expect.any(String) } } },
    ]);
  });

  it('refuses new risk that cannot be written, and sends an exit', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(false);
    expect(rig.sent.size).toBe(0);
    rig.intend('a', 'close');
    rig.endWrite(false);
    expect([...rig.sent]).toEqual(['id1/1']);
  });

  it('has a send wait for the void of its key, and refuses it after that', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.makeVoid('a');
    expect(rig.intend('a', 'open')).toEqual([{ type: 'wait', write: 1 }]);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'in_progress' }]);
    rig.endWrite(true);
    expect(rig.intend('a', 'open')).toMatchObject([{ type: 'refuse', refusal: 'key_void' }]);
    rig.release('a');
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'key_void' }]);
  });

  it('sends once what is on disk, replays alike, and brings everything to disk, whatever fails and when', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 5, maxLength: 80 }), (actions) => {
        const rig = new CoreRig();
        for (const one of actions) take(rig, one);
        rig.calm();
        // A request with a handler is written when that ends.
        for (const one of keys) rig.answer(one, 502);
        rig.calm();
        // One of a void key cannot be answered.
        for (const one of keys) rig.release(one);
        rig.calm();
        expectOnDisk(rig);
        expect([...rig.core.state.requests.values()].filter(({ record }) => !isOpenStatus(record.status))).toEqual([]);
        expect([...rig.core.state.requests.values()].filter(isRunning)).toEqual([]);
        expect(rig.core.state.writes.size + rig.core.state.claims.size).toBe(0);
      }),
      { numRuns: 1_500 },
    );
  });
});
