import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerClock } from '@libs/simulator';
import { movedBreak } from './daily-break';
import { importPrices } from './import-prices';

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Minutes of March and April 2026 on the clock of a server whose day has a break from 23:57 to 01:00, read by another clock. */
function times(server: string, read: string): number[] {
  const [own, other] = [new ServerClock(server), new ServerClock(read)];
  const all: number[] = [];
  for (let utcMs = Date.UTC(2026, 1, 16); utcMs < Date.UTC(2026, 3, 20); utcMs += minuteMs) {
    const serverMs = own.serverMs(utcMs);
    const minute = Math.floor((serverMs % dayMs) / minuteMs);
    const day = new Date(serverMs).getUTCDay();
    if (minute >= 60 && minute < 23 * 60 + 57 && day > 0 && day < 6) all.push(other.utcMs(serverMs));
  }
  return all;
}

describe('the daily break of imported bars', () => {
  it('moves when another place than New York changes its clock, which tells of a wrong zone', () => {
    expect(movedBreak(times('America/New_York+7', 'Europe/Athens'), 60_000)).toEqual({
      before: '21:57',
      after: '20:57',
      date: '2026-03-30',
    });
  });

  it.each([
    ['that of New York', 'America/New_York+7'],
    ['UTC', 'UTC'],
  ])('is at the same time by the clock of %s', (_what, zone) => {
    expect(movedBreak(times(zone, zone), 60_000)).toBeNull();
  });

  it('is not known without breaks', () => {
    const always = Array.from({ length: 50_000 }, (_, index) => Date.UTC(2026, 2, 2) + index * minuteMs);
    expect(movedBreak(always, 60_000)).toBeNull();
  });

  it('is in the warnings of an import with the wrong zone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'break-'));
    const server = new ServerClock('America/New_York+7');
    const rows = times('America/New_York+7', 'America/New_York+7')
      .filter((utcMs, index) => index < 2 || utcMs % (5 * minuteMs) === 0)
      .map(
        (utcMs) => `${new Date(server.serverMs(utcMs)).toISOString().slice(0, 16).replace('T', ' ')},1.1,1.1,1.1,1.1`,
      );
    const file = join(folder, 'server.csv');
    writeFileSync(file, ['time,open,high,low,close', ...rows].join('\n'));
    const imported = (zone: string) =>
      importPrices({
        ...{ files: [file], askFiles: [], symbol: 'XAUUSD', zone, digits: 2, spreadPoints: 20 },
        folder: join(folder, zone.slice(0, 6)),
      });
    expect(imported('Europe/Athens').warnings).toEqual([
      'the daily break moves from 21:56 to 20:56 UTC in the week of 2026-03-30, and New York changes its clock on another day: check --zone; many brokers use America/New_York+7',
    ]);
    expect(imported('America/New_York+7').warnings).toEqual([]);
  });
});
