import type { Change } from './core-event';
import type { IntentRecord, SettledOutcome } from './journal-records';
import { retentionMs } from './known-key';
import { CoreRig, responseTtlMs } from './testing/core-rig';

/** The changes that the core has written since the last call, as short as they can be told apart. */
function written(rig: CoreRig): string[] {
  return rig.writes.flatMap(({ changes }) => changes).map(textOf);
}

function textOf(change: Change): string {
  if ('remove' in change)
    return `remove ${change.remove} ${change.remove === 'lifetime' ? change.entry.id : change.id}`;
  switch (change.put) {
    case 'request':
      return `put request ${change.record.status}`;
    case 'open':
      return `put open ${change.key}`;
    case 'intent':
      return `put intent ${change.intent.outcome.kind}`;
    case 'claim':
      return `put claim ${change.ticket}`;
    case 'key':
      return `put key ${change.key} ${change.entry.endedAtRunningMs}`;
    case 'refusal':
    case 'fence':
      return `put ${change.put}`;
    case 'lifetime':
      return `put lifetime ${change.kind} ${change.id} ${change.untilMs}`;
  }
}

describe('what is written of a request', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
    rig.request('a', 'f');
  });

  function settle(outcome: SettledOutcome['kind']): void {
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', outcome);
  }
  /** Running time of the last event. */
  const nowMs = (): number => rig.nowMs;

  it('is its open record with the intent', () => {
    rig.intend('a', 'open');
    expect(written(rig)).toEqual(['put request in_progress', 'put open a', 'put intent pending']);
  });

  it('is the outcome of a send, with its order and how long they are kept', () => {
    settle('done');
    expect(written(rig)).toEqual([
      'put intent done',
      'remove evidence id1/0',
      `put lifetime intent id1/0 ${nowMs() + retentionMs.intent}`,
      'put claim 1',
      `put lifetime ticket 1 ${nowMs() + retentionMs.key}`,
    ]);
  });

  it('is no order for a send that made none', () => {
    settle('rejected');
    expect(written(rig)).toEqual([
      'put intent rejected',
      'remove evidence id1/0',
      `put lifetime intent id1/0 ${nowMs() + retentionMs.intent}`,
    ]);
  });

  it('is the answer, how long it is kept, and the summary of the key', () => {
    settle('rejected');
    rig.endWrite(true);
    rig.answer('a', 422);
    expect(written(rig)).toEqual([
      'put request completed',
      'remove open a',
      `put lifetime request a ${nowMs() + responseTtlMs}`,
      `put key a ${nowMs()}`,
    ]);
  });

  it('is the order that was made, in the summary of the key', () => {
    settle('done');
    rig.answer('a', 200);
    rig.calm();
    expect(rig.disk.keys.get('a')).toMatchObject({ status: 'completed', ticket: 1 });
  });

  it('is an open record with the answer while an outcome is unknown', () => {
    settle('unknown');
    rig.endWrite(true);
    rig.answer('a', 502);
    expect(written(rig)).toEqual(['put request unknown', 'put open a']);
  });

  it('has no summary of a key that the gateway generated', () => {
    const identity = { clientOrderId: null, requestId: 'r', method: 'POST', path: '/order', route: 'POST /order' };
    const stored = { record: null, memory: null };
    const asked = { identity: { ...identity, fingerprint: 'f' }, id: 'n', isFenced: false, stored };
    expect(rig.deliver({ type: 'requested', ...asked })).toEqual([{ type: 'begin', key: '§n' }]);
    rig.answer('§n', 422);
    expect(written(rig)).toEqual([
      'put request completed',
      'remove open §n',
      `put lifetime request §n ${nowMs() + responseTtlMs}`,
    ]);
  });

  it('ends when the request did, also if it is written later', () => {
    settle('done');
    rig.answer('a', 200);
    const endedMs = nowMs();
    rig.endWrite(false);
    rig.endWrite(false);
    rig.deliver({ type: 'disk tried' });
    expect(written(rig)).toEqual([
      'put request completed',
      'remove open a',
      `put lifetime request a ${endedMs + responseTtlMs}`,
      `put key a ${endedMs}`,
      'put intent done',
      'remove evidence id1/0',
      `put lifetime intent id1/0 ${endedMs - 1 + retentionMs.intent}`,
      'put claim 1',
      `put lifetime ticket 1 ${endedMs - 1 + retentionMs.key}`,
    ]);
  });
});

describe('what is written of a send of an earlier process', () => {
  it.each([
    ['stays as long as its outcome is unknown', 'unknown', ['put intent unknown']],
    ['stays as long as it has no outcome', 'pending', ['put intent pending']],
    ['is kept from then on if it has ended', 'absent', ['put intent absent', 'remove evidence old/0', 'put lifetime']],
  ] as const)('%s', (_case, kind, texts) => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    const [write] = rig.writes.splice(0);
    const [request, , intent] = write?.changes ?? [];
    if (!request || !('record' in request) || !intent || !('intent' in intent)) throw new Error('nothing was written');
    const outcome: IntentRecord['outcome'] =
      kind !== 'unknown' ? { kind } : { kind, reason: 'r', result: null, lastError: null };
    const intents = [{ ...intent.intent, id: 'old/0', outcome }];
    const next = new CoreRig();
    const record = { ...request.record, status: 'unknown' } as const;
    next.deliver({ type: 'found', record, intents, isWritten: false });
    next.deliver({ type: 'disk tried' });
    const found = written(next);
    expect(found.slice(0, 2)).toEqual(['put request unknown', 'put open a']);
    expect(found.slice(2).map((text, n) => (texts[n] === 'put lifetime' ? text.slice(0, 12) : text))).toEqual(texts);
  });
});
