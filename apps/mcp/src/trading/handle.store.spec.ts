import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, type HandleRecord } from './handle-record';
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

  it('are approved for one request only', () => {
    const store = new HandleStore(folder, 0);
    const other = { ...record(1).plan, call: { method: 'DELETE', path: '/orders/2' } as const };
    store.approve(record(1));
    expect(store.isApproved(record(1))).toBe(true);
    expect(store.isApproved(record(1, { plan: other }))).toBe(false);
    expect(store.isApproved(record(2))).toBe(false);
    expect(digestOf(record(1))).not.toBe(digestOf({ ...record(1), plan: { ...record(1).plan, login: 2 } }));
  });
});
