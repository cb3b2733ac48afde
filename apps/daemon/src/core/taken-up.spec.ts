import type { IntentRecord } from './records';
import { CoreRig, kinds, position } from './testing/core-rig';
import { written, asked, awaitedOf } from './testing/order-events';
import { reported, voided, report } from './testing/request-events';

describe('the requests that a start takes up', () => {
  const record = (key: string, createdAtMs: number, changes: Partial<IntentRecord> = {}): IntentRecord => ({
    ...{ key, strategy: 'ema', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: 1 },
    ...{ call: { method: 'POST', path: '/close_position', body: { position: { ticket: 1 } } }, isEntry: false },
    ...{ journalId: 'A', createdAtMs, state: 'open', outcome: null, ...changes },
  });
  const voids = (rig: CoreRig, key: string) => {
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }, key));
    return rig.does(asked(reported(null), key)).flatMap((effect) => (effect.type === 'ask' ? effect.effect.type : []));
  };

  it('are asked for, and only the newest exit of a position is sent again', () => {
    const rig = new CoreRig([position(1)]);
    const effects = rig.does({ type: 'taken up', records: [record('b', 2), record('a', 1)] });
    expect(effects).toMatchObject(['a', 'b'].map((key) => ({ type: 'ask', key, effect: { type: 'check journal' } })));
    expect([voids(rig, 'a'), voids(rig, 'b')]).toEqual([['void key'], ['send']]);
  });

  it.each([
    ['an hour old', 3_000_000, 6_600_000, 'send'],
    ['older than an hour', 3_000_000, 6_600_001, 'void key'],
    ['of a clock that was ahead', 9_000_000, 6_600_000, 'send'],
  ] as const)('are sent again if they are not too old: %s', (_, createdAtMs, nowMs, effect) => {
    const rig = new CoreRig([position(1)]);
    rig.at = { ...rig.at, nowMs, monotonicMs: 50 };
    rig.does({ type: 'taken up', records: [record('a', createdAtMs)] });
    expect(voids(rig, 'a')).toEqual([effect]);
  });

  it('are done as a part that was accepted, because it may be closed and booked already', () => {
    const rig = new CoreRig([position(1)]);
    const body = { position: { ticket: 1, volume: 0.05 } };
    rig.does({
      type: 'taken up',
      records: [record('a', 1, { call: { method: 'POST', path: '/close_position', body } })],
    });
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }, 'a'));
    rig.does(asked(reported(report('completed', 200, { ok: true, state: 'placed' })), 'a'));
    expect(kinds(rig.does(asked({ type: 'seen' }, 'a')))).toEqual(['find order']);
  });

  it('are reported as rejected, not as done, if their key is void and their position is gone', () => {
    const rig = new CoreRig([]);
    rig.does({ type: 'taken up', records: [record('a', 1)] });
    voids(rig, 'a');
    rig.does(asked(voided(report('void')), 'a'));
    rig.does(written(awaitedOf(rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }, 'a'))).n));
    expect(rig.does(asked({ type: 'seen' }, 'a'))).toMatchObject([{ notice: { type: 'rejected', failedExit: null } }]);
  });

  it('are not sent again if a newer one has ended', () => {
    const rig = new CoreRig([position(1)]);
    rig.does({ type: 'taken up', records: [record('a', 1)], superseded: ['a'] });
    expect(voids(rig, 'a')).toEqual(['void key']);
  });

  it('are not sent again for a position that is not open, nor entries at all', () => {
    const rig = new CoreRig([]);
    const entry = record('e', 1, { isEntry: true, ticket: null, call: { method: 'POST', path: '/order', body: {} } });
    rig.does({ type: 'taken up', records: [record('a', 1), entry] });
    expect([voids(rig, 'a'), voids(rig, 'e')]).toEqual([['void key'], ['void key']]);
  });
});
