import { accountOf, mostAccounts, type KnownKey } from '../trade-core/known-key';
import { dayMs, JournalRig, marketOrder, responseTtlMs } from './testing/journal-rig';

describe('a used key', () => {
  let rig: JournalRig;
  beforeEach(() => {
    rig = new JournalRig();
  });
  afterEach(() => rig.stop());

  it.each([
    ['forward by two days', 2 * dayMs],
    ['back by two days', -2 * dayMs],
    ['forward by two hundred days', 200 * dayMs],
  ])('replays its answer after the wall clock jumped %s', async (_case, byMs) => {
    await rig.execute('k');
    rig.clock.jump(byMs);
    await rig.journal.sweep();
    expect(rig.reserve('k')).toEqual({ kind: 'replay', status: 200, body: '{"order":9}' });
    await rig.restart();
    await rig.journal.sweep();
    expect(rig.reserve('k')).toEqual({ kind: 'replay', status: 200, body: '{"order":9}' });
    expect(rig.journal.clientOrderIdOf(9)).toBe('k');
  });

  it('is never sent again after its response expired; the answer names the ticket', async () => {
    await rig.execute('k', 4711);
    await rig.clock.advance(responseTtlMs + 1);
    for (let swept = 0; swept < 2; swept++) {
      const known = rig.reserve('k');
      expect(known).toMatchObject({ kind: 'replay', status: 200 });
      expect(known.kind === 'replay' && JSON.parse(known.body)).toMatchObject({
        ok: true,
        ticket: 4711,
        original_response_expired: true,
        client_order_id: 'k',
      });
      expect(rig.reserve('k', 'other')).toMatchObject({ kind: 'conflict' });
      await rig.journal.sweep();
    }
    expect(rig.disk.request('k')).toBeUndefined();
    expect(rig.journal.clientOrderIdOf(4711)).toBe('k');
  });

  it('does not become a success after its response expired, if a part of it failed', async () => {
    await rig.execute('k', 9, 'f', null, 207);
    await rig.clock.advance(responseTtlMs + 1);
    await rig.journal.sweep();
    const known = rig.reserve('k');
    expect(known).toMatchObject({ kind: 'replay', status: 207 });
    expect(known.kind === 'replay' && JSON.parse(known.body)).toMatchObject({
      message: 'a part of this request failed; its original answer is no longer kept: read GET /get_positions',
      original_status: 207,
    });
  });

  it('keeps the account of its request after its response expired, for as many accounts as are numbered', async () => {
    for (let login = 1; login <= mostAccounts + 1; login++) {
      await rig.execute(`of ${login}`, login, 'f', login);
      await rig.journal.makeVoid(`void of ${login}`, login);
    }
    await rig.execute('of none', 99);
    await rig.clock.advance(responseTtlMs + 1);
    await rig.journal.sweep();
    await rig.restart();
    const accountOfKey = (key: string): number | null | undefined => {
      const known: KnownKey | undefined = rig.journal.lookUp(key);
      return known && accountOf(known);
    };
    for (let login = 1; login <= mostAccounts; login++) {
      expect(rig.journal.lookUp(`of ${login}`)).toMatchObject({ entry: { route: 'POST /order', ticket: login } });
      expect([accountOfKey(`of ${login}`), accountOfKey(`void of ${login}`)]).toEqual([login, login]);
    }
    expect([accountOfKey(`of ${mostAccounts + 1}`), accountOfKey('of none')]).toEqual([null, null]);
  });

  it('stays a rejection after its response expired', async () => {
    await rig.reject('k');
    await rig.clock.advance(responseTtlMs + 1);
    await rig.journal.sweep();
    const known = rig.reserve('k');
    expect(known).toMatchObject({ kind: 'replay', status: 422 });
    expect(known.kind === 'replay' && JSON.parse(known.body)).toMatchObject({
      ok: false,
      error_type: 'broker_rejected',
      details: { original_response_expired: true, retryable: false },
    });
  });

  it('is kept for a hundred days of running time, and downtime does not count', async () => {
    await rig.execute('k');
    await rig.clock.advance(99 * dayMs);
    await rig.restart(400 * dayMs);
    expect(rig.journal.remembers('k')).toBe(true);
    expect(rig.journal.clientOrderIdOf(9)).toBe('k');
    await rig.clock.advance(1.1 * dayMs);
    await rig.journal.sweep();
    expect(rig.journal.remembers('k')).toBe(false);
    expect(rig.disk.keys.memory('k')).toBeUndefined();
    expect(rig.journal.clientOrderIdOf(9)).toBeNull();
  });

  it('is kept while its outcome is unknown', async () => {
    await rig.journal.record(rig.begin('k'), marketOrder);
    await rig.restart();
    rig.clock.jump(300 * dayMs);
    await rig.clock.advance(300 * dayMs);
    await rig.journal.sweep();
    expect(rig.reserve('k')).toMatchObject({ kind: 'replay', status: 502 });
    expect(rig.journal.unresolved()).toHaveLength(1);
  });
});
