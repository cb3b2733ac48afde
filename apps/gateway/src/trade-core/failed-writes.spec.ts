import type { CoreEffect } from './core-event';
import { CoreRig } from './testing/core-rig';

describe('a write that fails', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
    rig.request('a', 'f');
  });

  function fail(): readonly CoreEffect[] {
    const write = rig.writes.shift();
    return write ? rig.deliver({ type: 'persist failed', write: write.write }) : [];
  }
  const isRemembered = () => rig.core.state.requests.get('a')?.isRemembered;

  it('has the line of an exit kept in the audit log, and is sent', () => {
    rig.intend('a', 'close');
    expect(fail()).toEqual([{ type: 'keep in log', write: 1 }]);
    expect([[...rig.sent], isRemembered()]).toEqual([['id1/0'], true]);
  });

  it('has an exit sent that no disk has, which a crash would lose', () => {
    rig.logTakes = false;
    rig.intend('a', 'cancel');
    fail();
    expect([[...rig.sent], isRemembered()]).toEqual([['id1/0'], false]);
    rig.settle('a', 'done');
    fail();
    expect(isRemembered()).toBe(false);
  });

  it.each(['close', 'close_partial', 'cancel'] as const)('does not stop a %s', (purpose) => {
    rig.intend('a', purpose);
    rig.endWrite(false);
    expect(rig.sent.size).toBe(1);
  });

  it.each(['open', 'place_pending', 'modify_levels', 'modify_order'] as const)('stops a %s', (purpose) => {
    rig.intend('a', purpose);
    expect(fail()).toEqual([]);
    expect([rig.sent.size, isRemembered()]).toEqual([0, true]);
  });

  it('of an exit has its request and its send written once the disk works', () => {
    rig.intend('a', 'close');
    rig.endWrite(false);
    rig.settle('a', 'unknown');
    rig.endWrite(false);
    rig.answer('a', 502);
    rig.endWrite(true);
    expect(rig.disk.requests.get('a')).toMatchObject({ status: 'unknown' });
    expect(rig.disk.intents.get('id1/0')).toMatchObject({ outcome: { kind: 'unknown' } });
    expect(rig.deliver({ type: 'disk tried' })).toEqual([]);
  });

  it('of an outcome has its line kept in the audit log, and is shown', () => {
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'done');
    expect(fail()).toEqual([{ type: 'keep in log', write: 2 }]);
    expect(rig.shown).toHaveLength(1);
  });

  it('of an answer without a line is kept in memory, and written again only after its handler has ended', () => {
    rig.answer('a', 422);
    expect(rig.deliver({ type: 'disk tried' })).toEqual([]);
    expect(fail()).toEqual([]);
    expect(rig.core.state.requests.has('a')).toBe(true);
    const rows = { type: 'append', key: 'a', kind: 'rows', events: [] };
    expect(rig.deliver({ type: 'disk tried' })).toMatchObject([rows]);
    expect(rig.deliver({ type: 'disk tried' })).toEqual([]);
    rig.endWrite(true);
    expect(rig.core.state.requests.size).toBe(0);
  });

  it('of a running request is not written again before it is answered', () => {
    rig.intend('a', 'close');
    rig.endWrite(false);
    expect(rig.deliver({ type: 'disk tried' })).toEqual([]);
  });

  it('of an outcome is followed by the whole request, so that its key is not free after a crash', () => {
    rig.intend('a', 'close');
    rig.endWrite(false);
    rig.settle('a', 'done');
    expect(rig.writes[0]?.changes.slice(0, 3)).toMatchObject([{ put: 'request' }, { put: 'open' }, { put: 'intent' }]);
  });

  it('of an intent keeps the rows of an earlier one unwritten, which a later intent has', () => {
    rig.intend('a', 'close');
    rig.endWrite(false);
    rig.settle('a', 'done');
    rig.endWrite(false);
    rig.intend('a', 'close');
    const puts = rig.writes[0]?.changes.map((change) => ('put' in change ? change.put : change.remove));
    expect(puts).toEqual(expect.arrayContaining(['intent', 'claim']));
    rig.endWrite(true);
    expect(rig.disk.intents.get('id1/0')).toMatchObject({ outcome: { kind: 'done' } });
    expect(rig.disk.claims.size).toBe(1);
  });

  it('of a release ends the request, as nothing was done', () => {
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', 'rejected');
    rig.endWrite(true);
    rig.release('a');
    expect(fail()).toMatchObject([{ kind: 'refusals' }]);
    expect(rig.core.state.requests.size).toBe(0);
  });

  it('of an outcome leaves a request remembered whose intent is on disk', () => {
    rig.intend('a', 'close');
    rig.endWrite(true);
    rig.logTakes = false;
    rig.settle('a', 'done');
    expect([fail(), isRemembered()]).toEqual([[{ type: 'keep in log', write: 2 }], true]);
  });

  it('must be one that is in flight', () => {
    expect(() => rig.deliver({ type: 'kept in log', write: 9, isKept: true })).toThrow('no write 9');
    expect(() => rig.deliver({ type: 'persisted', write: 9 })).toThrow('no write 9');
    expect(() => rig.deliver({ type: 'persist failed', write: 9 })).toThrow('no write 9');
    rig.intend('a', 'open');
    rig.endWrite(true);
    expect(() => rig.deliver({ type: 'persisted', write: 1 })).toThrow('no write 1');
  });
});

describe('the void of a key', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
  });

  it('is written with its line, its account and when it was asked for', () => {
    expect(rig.makeVoid('a')).toEqual([
      {
        ...{ type: 'append', write: 1, key: 'a', kind: 'void', events: [{ event: 'voided' }] },
        changes: [
          {
            ...{ put: 'key', key: 'a' },
            entry: {
              ...{ status: 'void', route: 'PUT /trade_requests/:key/void', responseStatus: 422, ticket: null },
              ...{ fingerprint: '', login: 1, createdAtMs: 1, endedAtRunningMs: 1 },
            },
          },
        ],
      },
    ]);
    expect(rig.makeVoid('a')).toEqual([{ type: 'wait', write: 1 }]);
    rig.endWrite(true);
    expect(rig.makeVoid('a')).toEqual([{ type: 'report', key: 'a' }]);
  });

  it('has no line if none is asked for', () => {
    const stored = { record: null, memory: null };
    const asked = { key: 'a', login: null, event: null, askedAtMs: 1, stored };
    expect(rig.deliver({ type: 'void asked', ...asked })).toMatchObject([{ events: [] }]);
  });

  it('leaves the key free if it cannot be written', () => {
    rig.makeVoid('a');
    rig.endWrite(false);
    expect(rig.core.state.voiding.size).toBe(0);
    expect(rig.makeVoid('a')).toMatchObject([{ type: 'append', write: 2 }]);
  });

  it('leaves a request its send if it cannot be written, and reports one that has sent', () => {
    rig.request('a', 'f');
    rig.makeVoid('a');
    rig.endWrite(false);
    expect(rig.intend('a', 'open')).toMatchObject([{ type: 'append', kind: 'intent' }]);
    rig.endWrite(true);
    expect(rig.makeVoid('a')).toEqual([{ type: 'report', key: 'a' }]);
  });

  it('delays an answer, and refuses it once it is written', () => {
    rig.request('a', 'f');
    rig.makeVoid('a');
    const answered = { key: 'a', id: 'id1', response: { status: 422, body: '{}' } };
    expect(rig.deliver({ type: 'answered', ...answered })).toEqual([{ type: 'wait', write: 1 }]);
    rig.endWrite(true);
    expect(rig.deliver({ type: 'answered', ...answered })).toMatchObject([{ type: 'refuse', refusal: 'key_void' }]);
    expect(rig.makeVoid('a')).toEqual([{ type: 'report', key: 'a' }]);
  });

  it('goes on after the request that it was asked under is released', () => {
    rig.request('a', 'f');
    rig.makeVoid('a');
    rig.release('a');
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'in_progress' }]);
    rig.endWrite(true);
    expect(rig.request('a', 'f')).toMatchObject([{ type: 'refuse', refusal: 'key_void' }]);
  });
});
