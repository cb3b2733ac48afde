import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandleRecord } from './handle-record';
import { HandleStore } from './handle.store';

const handle = (number: number): string => `mcp-${`${number}`.padStart(32, '0')}`;
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
  ...{ createdMs: 0, expiresMs: 1_000, sent: null, outcome: null, declined: false },
  ...change,
});

describe('the handles on disk', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'handles-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('are there after a restart as they were, also those that expired after they were sent', () => {
    const sent = record(1, { sent: { atMs: 500, by: 'policy' } });
    const store = new HandleStore(folder, 0);
    [sent, record(2), record(3, { declined: true })].forEach((one) => store.add(one, 0));
    const again = new HandleStore(folder, 900);
    expect(again.find(handle(1))).toEqual(sent);
    expect(again.open(900).map((one) => one.handle)).toEqual([handle(2)]);
    const later = new HandleStore(folder, 2_000);
    expect([1, 2, 3].map((number) => later.find(handle(number)) !== null)).toEqual([true, false, false]);
    expect(later.sentByPolicyMs()).toEqual([500]);
  });

  it('refuse the start if one is damaged: it may be of a request that was sent', () => {
    new HandleStore(folder, 0).add(record(1), 0);
    truncateSync(join(folder, 'handles', `${handle(1)}.json`), 30);
    expect(() => new HandleStore(folder, 0)).toThrow('is damaged');
  });

  it('are few while none is decided', () => {
    const store = new HandleStore(folder, 0);
    for (let number = 0; number < 100; number++) store.add(record(number), 0);
    expect(() => store.add(record(100), 0)).toThrow('100 previews wait');
    expect(() => store.add(record(100), 1_001)).not.toThrow();
  });

  it('make room for new ones where a restart left them, except those that a person approved', () => {
    const before = new HandleStore(folder, 0);
    for (let number = 0; number < 100; number++) before.add(record(number), 0);
    before.approve(record(0), 'signature');
    const store = new HandleStore(folder, 1);
    for (let number = 100; number < 199; number++) store.add(record(number), 1);
    expect(store.find(handle(0))).not.toBeNull();
    expect([1, 99].map((number) => store.find(handle(number)))).toEqual([null, null]);
    expect(() => store.add(record(199), 1)).toThrow('100 previews wait');
    expect(new HandleStore(folder, 1).open(1)).toHaveLength(100);
  });

  it('expire although the clock was set back since', () => {
    const store = new HandleStore(folder, 0);
    const yearMs = 365 * 86_400_000;
    store.add(record(1, { createdMs: yearMs, expiresMs: yearMs + 1_000 }), 0);
    expect(store.open(0)).toEqual([]);
    expect(new HandleStore(folder, 0).find(handle(1))).toBeNull();
  });

  it('are not removed by a command, which knows no other process', () => {
    new HandleStore(folder, 0).add(record(1), 0);
    expect(new HandleStore(folder, null).find(handle(1))).toEqual(record(1));
  });

  it('leave no approval behind', () => {
    const store = new HandleStore(folder, 0);
    store.add(record(1), 0);
    store.approve(record(1), 'signature');
    store.approve(record(2), 'signature');
    expect(readdirSync(join(folder, 'approvals'))).toHaveLength(2);
    expect(new HandleStore(folder, 1).approvalOf(record(1))).toBe('signature');
    expect(readdirSync(join(folder, 'approvals'))).toEqual([handle(1)]);
    expect(new HandleStore(folder, 2_000).find(handle(1))).toBeNull();
    expect(readdirSync(join(folder, 'approvals'))).toEqual([]);
  });

  it('have an approval that another account of this machine may read', () => {
    const store = new HandleStore(folder, 0);
    store.approve(record(1), 'signature');
    expect(statSync(join(folder, 'approvals', handle(1))).mode & 0o777).toBe(0o644);
    expect(store.approvalOf(record(2))).toBeNull();
  });
});
