import { tradeRequest, TradeAction } from '@libs/terminal-client';
import type { CoreEventBody } from './core-event';
import type { IntentRecord, SettledOutcome, TradeRequestRecord } from './journal-records';
import { CoreRig, identityOf } from './testing/core-rig';

const record: TradeRequestRecord = {
  ...{ ...identityOf('a', 'f'), id: 'old', key: 'a', status: 'in_progress', createdAtMs: 5, settledAtMs: null },
  ...{ responseStatus: null, response: null },
};
const pending: IntentRecord = {
  ...{ id: 'old/0', key: 'a', purpose: 'open', request: tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD' }) },
  ...{ serverTimeMsc: 1, positionId: 0, positionVolume: 0, createdAtMs: 5, outcome: { kind: 'pending' } },
};
const unknown = { kind: 'unknown', reason: 'stopped', result: null, lastError: null } as const;
const absent: SettledOutcome = { kind: 'absent' };
const answer = { status: 502, body: '{"interrupted":true}' };

type Restarted = Extract<CoreEventBody, { readonly type: 'restarted' }>;

describe('a request of an earlier process', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
  });

  function restart(changed: Partial<Restarted>): ReturnType<CoreRig['deliver']> {
    const interrupted = { ...answer, reason: 'stopped' };
    const found = { record, intents: [pending], isWritten: true, outcomes: [], interrupted, claims: [] };
    return rig.deliver({ type: 'restarted', ...found, ...changed });
  }

  it('is unknown if it was open, and its send is cut short: both are written with the line of the outcome', () => {
    const after = { ...record, status: 'unknown', responseStatus: 502, response: answer.body };
    expect(restart({})).toEqual([
      { type: 'cut short', record, intent: pending },
      {
        ...{ type: 'append', write: 1, key: 'a', kind: 'rows' },
        changes: [
          { put: 'request', record: after },
          { put: 'open', key: 'a' },
          { put: 'intent', intent: { ...pending, outcome: unknown } },
        ],
        events: [expect.objectContaining({ event: 'unknown_outcome', intent_id: 'old/0', latency_ms: null })],
      },
    ]);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'answer', known: { record: { status: 'unknown' } } }]);
  });

  it('sends its next intent under a new number', () => {
    restart({});
    expect(rig.core.state.requests.get('a')?.sends).toBe(1);
  });

  it('keeps its answer if it was unknown already', () => {
    const before = { ...record, status: 'unknown', responseStatus: 502, response: '{"first":true}' } as const;
    restart({ record: before, intents: [{ ...pending, outcome: { ...unknown, reason: 'timeout' } }] });
    expect(rig.core.state.requests.get('a')).toMatchObject({
      record: before,
      intents: new Map([['old/0', { outcome: { reason: 'timeout' } }]]),
    });
    expect(rig.writes).toMatchObject([{ changes: [{ put: 'request', record: before }, { put: 'open' }], events: [] }]);
  });

  it('has the outcomes that only the audit log has, which are written and not looked up', () => {
    restart({ outcomes: [['old/0', absent]] });
    expect(rig.writes).toMatchObject([
      { changes: [{ put: 'request' }, { put: 'open' }, { put: 'intent', intent: { outcome: absent } }, {}, {}] },
    ]);
    expect(rig.writes.flatMap(({ events }) => events)).toEqual([]);
    rig.resolve('a', 'absent');
    rig.calm();
    expect(rig.disk.requests.get('a')).toMatchObject({ status: 'absent' });
  });

  it('keeps an outcome of the disk if the audit log has another one, or one of a send that is not known', () => {
    const rejected: SettledOutcome = { kind: 'rejected', result: null, lastError: null };
    const settled = { ...pending, outcome: rejected };
    restart({
      intents: [settled],
      outcomes: [
        ['old/0', absent],
        ['old/9', absent],
      ],
    });
    expect(rig.core.state.requests.get('a')?.intents).toEqual(new Map([['old/0', settled]]));
  });

  it.each([
    ['written again if the disk has only a part of it', false, 1],
    ['left as it is if the disk has all of it', true, 0],
  ])('is %s, once it has ended', (_case, isWritten, writes) => {
    const ended = { ...record, status: 'completed', settledAtMs: 6, settledAtRunningMs: 6 } as const;
    const effects = restart({ record: ended, intents: [{ ...pending, outcome: absent }], isWritten });
    expect(effects.map(({ type }) => type)).toEqual(Array.from({ length: writes }, () => 'append'));
    rig.calm();
    expect(rig.disk.requests.get('a')).toEqual(writes > 0 ? ended : undefined);
    expect(rig.disk.intents.size).toBe(writes);
  });

  it('has no claim in memory that the disk has', () => {
    const result = { retcode: 10009, deal: 7, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '', request_id: 1 };
    const outcome = { kind: 'done', result: { ...result, order: 3, retcode_external: 0 }, source: 'answer' } as const;
    restart({ intents: [{ ...pending, outcome }] });
    expect(rig.core.state.claims.size).toBe(0);
    rig = new CoreRig();
    restart({ intents: [{ ...pending, outcome }], isWritten: false });
    expect(rig.core.state.claims.get(3)).toMatchObject({ isShown: true, claim: { clientOrderId: 'a' } });
  });
});

describe('a request that is found on the disk', () => {
  const ended = { ...record, status: 'completed', settledAtMs: 6 } as const;
  const found = { type: 'found', record: ended, intents: [{ ...pending, outcome: absent }] } as const;

  it('is not written again', () => {
    const rig = new CoreRig();
    rig.deliver({ ...found, isWritten: true });
    expect(rig.deliver({ type: 'disk tried' })).toEqual([]);
    expect(rig.core.state.requests.get('a')).toMatchObject({ record: ended, sends: 1 });
  });

  it('can be accepted as unknown if all its outcomes are undecidable', () => {
    const response = { status: 502, body: '{}' };
    const accept = (intents: readonly IntentRecord[]) => {
      const rig = new CoreRig();
      rig.deliver({ ...found, record: { ...record, status: 'unknown' }, intents, isWritten: true });
      return rig.deliver({ type: 'resolved', key: 'a', status: 'accepted', response, events: [] });
    };
    const undecidable = { ...pending, outcome: { ...unknown, undecidable: true } } as const;
    expect(accept([undecidable])).toMatchObject([{ type: 'append' }]);
    expect(accept([undecidable, { ...pending, id: 'old/1', outcome: unknown }])).toMatchObject([{ type: 'refuse' }]);
  });

  it('stays the one that is in memory', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.deliver({ ...found, isWritten: true });
    expect(rig.core.state.requests.get('a')?.record).toMatchObject({ id: 'id1', status: 'in_progress' });
  });
});
