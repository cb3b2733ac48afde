import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { FixedZone, type ServerZone } from './server-zone';
import { parseServerZone } from './zone-setting';

const dayMs = 86_400_000;
const iso = (utcMs: number): string => new Date(utcMs).toISOString();
const wall = (text: string): number => Date.parse(`${text}Z`);

describe('a server clock in an IANA zone', () => {
  const athens = parseServerZone('Europe/Athens');

  it('has the offset of each instant, not that of today', () => {
    expect(athens.offsetSecondsAt(Date.parse('2024-01-15T12:00:00Z'))).toBe(7_200);
    expect(athens.offsetSecondsAt(Date.parse('2024-07-15T12:00:00Z'))).toBe(10_800);
    expect(iso(athens.toUtcMs(wall('2024-01-15T14:00:00')))).toBe('2024-01-15T12:00:00.000Z');
    expect(iso(athens.toUtcMs(wall('2024-07-15T15:00:00')))).toBe('2024-07-15T12:00:00.000Z');
  });

  it('changes on the second that daylight time changes', () => {
    const change = Date.parse('2024-03-31T01:00:00Z');
    expect(athens.offsetSecondsAt(change - 1)).toBe(7_200);
    expect(athens.offsetSecondsAt(change)).toBe(10_800);
  });

  it('takes a time in the repeated hour as its first occurrence', () => {
    // On 2024-10-27 the clock goes from 04:00 (+3) back to 03:00 (+2).
    expect(iso(athens.toUtcMs(wall('2024-10-27T03:30:00')))).toBe('2024-10-27T00:30:00.000Z');
    expect(iso(athens.toUtcMs(wall('2024-10-27T04:00:00')))).toBe('2024-10-27T02:00:00.000Z');
  });

  it('has the start of the repeated hour as the earliest time after a time in it, and its end as the latest before', () => {
    const [start, end] = [wall('2024-10-27T03:00:00'), wall('2024-10-27T04:00:00')];
    for (const time of ['03:00:00', '03:30:00', '03:59:59']) {
      expect(athens.earliestAfter(wall(`2024-10-27T${time}`))).toBe(start);
      expect(athens.latestBefore(wall(`2024-10-27T${time}`))).toBe(end);
    }
    for (const time of ['2024-10-27T02:59:59', '2024-10-27T04:00:00', '2024-03-31T03:30:00', '2024-07-15T15:00:00']) {
      expect(athens.earliestAfter(wall(time))).toBe(wall(time));
      expect(athens.latestBefore(wall(time))).toBe(wall(time));
    }
  });

  it.each(['Europe/Athens', 'America/New_York+7', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'])(
    'has no earlier time in %s after an instant than the earliest one that it gives, and no later one before it than the latest',
    (name) => {
      const zone = parseServerZone(name);
      const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
      const goesBack = (utcMs: number, days: number): boolean =>
        zone.offsetSecondsAt(utcMs) > zone.offsetSecondsAt(utcMs + days * dayMs);
      const nearChange = fc.tuple(instant, fc.integer({ min: 0, max: dayMs })).map(([utcMs, restMs]) => {
        const week = Array.from({ length: 53 }, (_, index) => utcMs + index * 7 * dayMs).find((at) => goesBack(at, 7));
        const from = week ?? utcMs;
        const day = Array.from({ length: 7 }, (_, index) => from + index * dayMs).find((at) => goesBack(at, 1));
        return (day ?? from) + restMs;
      });
      fc.assert(
        fc.property(fc.oneof(instant, nearChange), fc.integer({ min: 0, max: 7_200_000 }), (utcMs, afterMs) => {
          const serverMs = zone.toServerMs(utcMs);
          const earliest = zone.earliestAfter(serverMs);
          expect(earliest).toBeLessThanOrEqual(zone.toServerMs(utcMs + afterMs));
          expect(serverMs - earliest).toBeLessThan(3_600_000);
          const latest = zone.latestBefore(serverMs);
          expect(latest).toBeGreaterThanOrEqual(zone.toServerMs(utcMs - afterMs));
          expect(latest - serverMs).toBeLessThanOrEqual(3_600_000);
        }),
        { numRuns: 200 },
      );
    },
  );

  it('takes a time of the skipped hour with the offset before the change', () => {
    // On 2024-03-31 the clock goes from 03:00 to 04:00.
    expect(iso(athens.toUtcMs(wall('2024-03-31T03:30:00')))).toBe('2024-03-31T01:30:00.000Z');
  });

  it('follows New York seven hours ahead, on the American dates', () => {
    const server = parseServerZone('America/New_York+7');
    expect(server.offsetSecondsAt(Date.parse('2024-03-10T06:59:59Z'))).toBe(7_200);
    expect(server.offsetSecondsAt(Date.parse('2024-03-10T07:00:00Z'))).toBe(10_800);
    // The trading day ends at 17:00 in New York, which is midnight on the server, in summer and in winter.
    expect(iso(server.toUtcMs(wall('2024-01-16T00:00:00')))).toBe('2024-01-15T22:00:00.000Z');
    expect(iso(server.toUtcMs(wall('2024-07-16T00:00:00')))).toBe('2024-07-15T21:00:00.000Z');
  });

  it.each(['Europe/Athens', 'America/New_York+7', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'])(
    'converts every instant in %s back, except those in a repeated hour',
    (name) => {
      const zone = parseServerZone(name);
      fc.assert(
        fc.property(fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2050, 0, 1) }), (utcMs) => {
          const serverMs = zone.toServerMs(utcMs);
          const back = zone.toUtcMs(serverMs);
          expect(zone.toServerMs(back)).toBe(serverMs);
          expect(back).toBeLessThanOrEqual(utcMs);
          expect(utcMs - back).toBeLessThanOrEqual(3_600_000);
        }),
        { numRuns: 500 },
      );
    },
  );

  it('agrees with a fixed offset in a zone without daylight time', () => {
    const kolkata = parseServerZone('Asia/Kolkata');
    const fixed = new FixedZone(19_800);
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2050, 0, 1) }), (ms) => {
        expect(kolkata.toUtcMs(ms)).toBe(fixed.toUtcMs(ms));
        expect(kolkata.toServerMs(ms)).toBe(fixed.toServerMs(ms));
      }),
    );
  });
});

describe('TERMINAL_SERVER_TIME_ZONE', () => {
  it.each(['Nowhere/Here', '+03:00', '3', '', 'Europe/Athens+', 'Europe/Athens+15', 'America/New_York+7:60'])(
    'refuses "%s"',
    (name) => {
      expect(() => parseServerZone(name)).toThrow(RangeError);
    },
  );

  it('does not treat the sign in a zone name as a shift', () => {
    expect(parseServerZone('Etc/GMT+3').offsetSecondsAt(0)).toBe(-10_800);
    expect(parseServerZone('Etc/GMT+3+1').offsetSecondsAt(0)).toBe(-7_200);
    expect(parseServerZone('UTC+5:30').offsetSecondsAt(0)).toBe(19_800);
  });
});

const zoneinfo = `
import sys, json
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
epoch = datetime(1970, 1, 1)
for name, shift, instants, walls in json.load(sys.stdin):
    zone, shift = ZoneInfo(name), timedelta(hours=shift)
    to_wall = [(epoch + timedelta(seconds=s)).replace(tzinfo=timezone.utc).astimezone(zone).replace(tzinfo=None) + shift for s in instants]
    to_utc = [(epoch + timedelta(seconds=s) - shift).replace(tzinfo=zone).astimezone(timezone.utc).replace(tzinfo=None) for s in walls]
    print(json.dumps([[int((t - epoch).total_seconds()) for t in side] for side in (to_wall, to_utc)]))
`;

// An independent implementation with its own reading of the zone data.
const hasZoneinfo = spawnSync('python3', ['-c', 'import zoneinfo; zoneinfo.ZoneInfo("Europe/Athens")']).status === 0;
// In CI, its absence is a failure instead of a skip.
const describeWithPython = hasZoneinfo || process.env['CI'] ? describe : describe.skip;

describeWithPython('conversion, against zoneinfo of Python (skipped where python3 or its zones are missing)', () => {
  const zones: readonly [string, number][] = [
    ['Europe/Athens', 0],
    ['America/New_York', 7],
    ['Asia/Kolkata', 0],
    ['Europe/Moscow', 0],
    ['Etc/GMT-3', 0],
  ];
  const firstHour = Date.UTC(2005, 0, 1) / 1_000;
  // Every 13 h 7 min over thirty years, and every half hour of one, so that both sides of each change are tested.
  const instants = [
    ...Array.from({ length: 20_000 }, (_, index) => firstHour + index * 47_220),
    ...Array.from({ length: 17_568 }, (_, index) => Date.UTC(2024, 0, 1) / 1_000 + index * 1_800),
  ];
  const sources = zones.map(([name, shift]) => [name, shift, instants, instants]);

  it('gives the same second both ways, also in repeated and skipped hours', () => {
    const answers = execFileSync('python3', ['-c', zoneinfo], {
      input: JSON.stringify(sources),
      maxBuffer: 1 << 28,
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [number[], number[]]);
    for (const [index, [name, shift]] of zones.entries()) {
      const zone: ServerZone = parseServerZone(shift === 0 ? name : `${name}+${shift}`);
      const [toWall, toUtc] = answers[index] ?? [[], []];
      expect(instants.map((second) => zone.toServerMs(second * 1_000) / 1_000)).toEqual(toWall);
      expect(instants.map((second) => zone.toUtcMs(second * 1_000) / 1_000)).toEqual(toUtc);
    }
  });
});
