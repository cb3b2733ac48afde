import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandleRecord } from './handle-record';
import { HandleStore } from './handle.store';
import { markOf, type Moment } from './moment';

const handle = (number: number): string => `mcp-${`${number}`.padStart(32, '0')}`;
/** Both clocks show the same. */
const at = (ms: number, boot = 'first'): Moment => ({ nowMs: ms, boot, upMs: ms });
const record = (number: number, change: Partial<HandleRecord> = {}): HandleRecord => ({
  handle: handle(number),
  plan: {
    ...{
      action: 'cancel',
      call: { method: 'DELETE', path: '/orders/1' },
      login: 1,
      ticket: 1,
      symbol: 'EURUSD',
      lots: 1,
    },
    ...{ magic: 7, words: 'CANCEL 1 EURUSD', margin: null, atRisk: 0, currency: 'USD', tradeMode: 0 },
  },
  ...{ createdMs: 0, expiresMs: 1_000, createdAt: markOf(at(0)), sent: null, outcome: null, declined: false },
  ...change,
});

describe('the handles on disk', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'handles-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are there after a restart as they were, also those that expired after they were sent', () => {
    const sent = record(1, { sent: { atMs: 500, at: markOf(at(500)), by: 'policy' } });
    const store = new HandleStore(folder, at(0));
    [sent, record(2), record(3, { declined: true })].forEach((one) => store.add(one, at(0)));
    const again = new HandleStore(folder, at(900));
    expect(again.find(handle(1))).toEqual(sent);
    expect(again.open(at(900)).map((one) => one.handle)).toEqual([handle(2)]);
    const later = new HandleStore(folder, at(2_000));
    expect([1, 2, 3].map((number) => later.find(handle(number)) !== null)).toEqual([true, false, false]);
    expect(later.sentByPolicyAgoMs(at(2_000))).toEqual([1_500]);
  });

  it('refuse the start if one is damaged: it may be of a request that was sent', () => {
    new HandleStore(folder, at(0)).add(record(1), at(0));
    truncateSync(join(folder, 'handles', `${handle(1)}.json`), 30);
    expect(() => new HandleStore(folder, at(0))).toThrow('is damaged');
  });

  it('are few while none is decided', () => {
    const store = new HandleStore(folder, at(0));
    for (let number = 0; number < 100; number++) store.add(record(number), at(0));
    expect(() => store.add(record(100), at(0))).toThrow('100 previews wait');
    expect(() => store.add(record(100), at(1_001))).not.toThrow();
  });

  it('make room for new ones where a restart left them, except those that a person approved', () => {
    const before = new HandleStore(folder, at(0));
    for (let number = 0; number < 100; number++) before.add(record(number), at(0));
    before.approve(record(0), 'signature');
    const store = new HandleStore(folder, at(1));
    for (let number = 100; number < 199; number++) store.add(record(number), at(1));
    expect(store.find(handle(0))).not.toBeNull();
    expect([1, 99].map((number) => store.find(handle(number)))).toEqual([null, null]);
    expect(() => store.add(record(199), at(1))).toThrow('100 previews wait');
    expect(new HandleStore(folder, at(1)).open(at(1))).toHaveLength(100);
  });

  it('expire by the clock that nobody can set, and by the other one after the machine was restarted', () => {
    const yearMs = 365 * 86_400_000;
    const made = { createdMs: yearMs, expiresMs: yearMs + 1_000, createdAt: markOf(at(0)) };
    const store = new HandleStore(folder, at(0));
    store.add(record(1, made), { ...at(0), nowMs: yearMs });
    const isOpen = (moment: Moment): boolean => store.open(moment).length === 1;
    expect([0, 999, 1_000].map((ms) => isOpen(at(ms)))).toEqual([true, true, false]);
    expect([999, 1_000].map((ms) => isOpen({ ...at(0), nowMs: yearMs + ms }))).toEqual([true, false]);
    // The clock was set back while it was off.
    expect(isOpen(at(0, 'second'))).toBe(false);
    expect(new HandleStore(folder, at(0, 'second')).find(handle(1))).toBeNull();
  });

  it('count the time since they were sent only while a clock that nobody can set ran', () => {
    const sent = record(1, { sent: { atMs: 0, at: markOf(at(0)), by: 'policy' } });
    new HandleStore(folder, at(0)).add(sent, at(0));
    const agoMs = (moment: Moment): readonly number[] => new HandleStore(folder, moment).sentByPolicyAgoMs(moment);
    expect(agoMs(at(700))).toEqual([700]);
    expect(agoMs(at(90_000, 'second'))).toEqual([0]);
    expect(agoMs(at(90_500, 'second'))).toEqual([500]);
    // A machine whose starts have no names: this clock began again.
    expect(agoMs(at(400, 'second'))).toEqual([0]);
    expect(agoMs(at(1_000, 'second'))).toEqual([600]);
  });

  it('of an earlier version count from the first start of this one', () => {
    new HandleStore(folder, at(0)).add(record(1), at(0));
    const path = join(folder, 'handles', `${handle(1)}.json`);
    const { createdAt: _none, ...old } = record(1);
    writeFileSync(path, JSON.stringify({ ...old, sent: { atMs: 0, by: 'policy' } }));
    const now = at(8 * 86_400_000);
    expect(new HandleStore(folder, now).sentByPolicyAgoMs(now)).toEqual([0]);
  });

  it('are not removed by a command, which knows no other process', () => {
    new HandleStore(folder, at(0)).add(record(1), at(0));
    expect(new HandleStore(folder, null).find(handle(1))).toEqual(record(1));
  });

  it('leave no approval behind', () => {
    const store = new HandleStore(folder, at(0));
    store.add(record(1), at(0));
    store.approve(record(1), 'signature');
    store.approve(record(2), 'signature');
    expect(readdirSync(join(folder, 'approvals'))).toHaveLength(2);
    expect(new HandleStore(folder, at(1)).approvalOf(record(1))).toBe('signature');
    expect(readdirSync(join(folder, 'approvals'))).toEqual([handle(1)]);
    expect(new HandleStore(folder, at(2_000)).find(handle(1))).toBeNull();
    expect(readdirSync(join(folder, 'approvals'))).toEqual([]);
  });

  it('have an approval that another account of this machine may read', () => {
    const store = new HandleStore(folder, at(0));
    store.approve(record(1), 'signature');
    expect(statSync(join(folder, 'approvals', handle(1))).mode & 0o777).toBe(0o644);
    expect(store.approvalOf(record(2))).toBeNull();
  });
});
