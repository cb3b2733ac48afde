import type { ServerTime } from '../server-time/server-time';
import { cursorOf, parseCursor, type HistoryPosition } from './history-cursor';
import { pageOf, type HistoryPage } from './history-page';
import { isInside } from './history-window';
import { dealRangeRequest, dealsRequest, ordersRequest } from './history.request';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 31);

describe('the pages of a history', () => {
  it('have each row once, also rows of one millisecond, in the order of time and ticket', () => {
    const rows = [4, 2, 3, 1, 5].map((ticket) => ({ ticket, msc: ticket < 4 ? 1_000 : 2_000 }));
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const after: HistoryPosition | null = cursor === null ? null : parseCursor(cursor);
      const page: HistoryPage<{ ticket: number; msc: number }> = pageOf(rows, (row) => row, { limit: 2, after }, 0);
      found.push(...page.rows.map(({ ticket }) => ticket));
      cursor = page.nextCursor;
    } while (cursor !== null && found.length < 10);
    expect(found).toEqual([1, 2, 3, 4, 5]);
  });

  const row = (ticket: number) => ({ ticket, msc: ticket * 20_000 });
  const pageAfterThree = (before: number | null, ...tickets: readonly number[]): readonly number[] => {
    const after = { ...row(3), windowFromMs: 0, before };
    return pageOf(tickets.map(row), (one) => one, { limit: 2, after }, 0).rows.map(({ ticket }) => ticket);
  };

  it('are refused behind a row that was shown late, which would be on none of them', () => {
    const first = pageOf([1, 3, 4].map(row), (one) => one, { limit: 2, after: null }, 0);
    expect(parseCursor(first.nextCursor ?? '')).toEqual({ ...row(3), windowFromMs: 0, before: 2 });
    expect(pageAfterThree(2, 1, 3, 4)).toEqual([4]);
    expect(() => pageAfterThree(2, 1, 2, 3, 4)).toThrow(
      'cursor: is behind rows that the terminal has shown late: read again from the first page, without it',
    );
    // Longer ago than a terminal is late.
    expect(pageAfterThree(2, -1, 1, 3, 4)).toEqual([4]);
  });

  it('are a failed read while a row of the page before is missing', () => {
    expect(() => pageAfterThree(2, 3, 4)).toThrow('the history shows 1 of the 2 rows before the cursor');
  });

  it('follow a cursor of an earlier version, which counts no rows', () => {
    const cursor = cursorOf({ ...row(3), windowFromMs: 0, before: null });
    expect(Buffer.from(cursor, 'base64url').toString()).toBe('h1.60000.3.0');
    expect(pageAfterThree(parseCursor(cursor)?.before ?? null, 1, 2, 3, 4)).toEqual([4]);
  });

  it.each([
    ['of deals', (query: object) => dealsRequest({ ...query }, nowMs).window?.fromMs],
    ['of deals by magic', (query: object) => dealRangeRequest({ ...query }, nowMs).window.fromMs],
    [
      'of orders',
      (query: object) => {
        const request = ordersRequest({ ...query }, nowMs);
        return request.of === null ? request.window.fromMs : null;
      },
    ],
  ])('%s begin where the first one did, although its start was a default that has moved since', (_what, startOf) => {
    expect(startOf({})).toBeGreaterThanOrEqual(nowMs - 31 * dayMs);
    const firstMs = nowMs - 31 * dayMs - 3_600_000;
    const cursor = cursorOf({ msc: 5, ticket: 7, windowFromMs: firstMs, before: 1 });
    expect(startOf({ cursor })).toBe(firstMs);
    // A start that is asked for is the same on each page.
    expect(startOf({ cursor, from_date: '2026-01-05' })).toBe(Date.UTC(2026, 0, 5));
  });

  it('have the first and the last millisecond of the window', () => {
    const serverTime = { toUtcMs: (ms: number) => ms - 7_200_000 } as Partial<ServerTime> as ServerTime;
    const window = { fromMs: 10_000, toMs: 20_000 };
    const inside = (utcMs: number): boolean => isInside(window, serverTime, utcMs + 7_200_000);
    expect([9_999, 10_000, 20_000, 20_001].map(inside)).toEqual([false, true, true, false]);
    expect(isInside({ ...window, clock: 'server' }, serverTime, 20_000)).toBe(true);
  });
});
