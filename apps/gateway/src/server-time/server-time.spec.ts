import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TimeRig } from './testing/time-rig';
import { parseServerZone } from './zone-setting';

const noon = Date.UTC(2024, 0, 16, 12);
const twoHours = 7_200;
const threeHours = 10_800;
const serverNoon = noon / 1_000 + twoHours;

let rig: TimeRig;
afterEach(() => rig.end());

describe('the source of the offset (GTD rule 2)', () => {
  it('is the zone, regardless of other settings', async () => {
    rig = await TimeRig.create({ zone: parseServerZone('Asia/Kolkata'), fixedOffsetSeconds: 3_600 });
    await rig.connect();
    expect(rig.serverTime.report()).toEqual({
      ...{ offset_seconds: 19_800, source: 'zone', symbol: null, derived_at: null, age_seconds: null },
    });
    expect(await rig.order('EURUSD', noon)).toBe(noon / 1_000 + 19_800);
  });

  it('is that of the expiry, not of today: an expiry after a change of daylight time is correct', async () => {
    rig = await TimeRig.create({ zone: parseServerZone('Europe/Athens') });
    const inApril = Date.UTC(2024, 3, 2, 12);
    expect(await rig.order('EURUSD', inApril)).toBe(inApril / 1_000 + threeHours);
  });

  it('is the fixed offset, which no quote can change', async () => {
    rig = await TimeRig.create({ fixedOffsetSeconds: 28_800 });
    await rig.connect();
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: 28_800, source: 'env', age_seconds: null });
    expect(await rig.order('EURUSD', noon)).toBe(noon / 1_000 + 28_800);
  });

  it('is a moving quote if neither is set', async () => {
    rig = await TimeRig.create();
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: null, source: null });
    await rig.connect();
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: twoHours, source: 'derived' });
    expect(rig.serverTime.report().derived_at).toMatch(/^2024-01-16T10:00:0\d/);
    expect(rig.notes).toEqual([expect.stringMatching(/the offset is 7200 s by /)]);
  });

  it('is derived within the reads of one connect on a fresh simulator, even in the quietest hour', async () => {
    const quiet = Date.UTC(2024, 0, 16, 21, 30);
    for (let start = 0; start < 10; start++) {
      // The default number of reads.
      rig = await TimeRig.create({ deriveAttempts: 10, deriveDelayMs: 500 }, { startMs: quiet + start * 7_300 });
      rig.serverTime.connected('Simulator-Demo');
      await rig.clock.advance(5_000);
      expect([start, rig.serverTime.report().offset_seconds]).toEqual([start, twoHours]);
      await rig.end();
    }
  });

  it('is derived by the broker’s clock, which may run faster than the gateway’s if simulated', async () => {
    rig = await TimeRig.create({}, { speed: 120 });
    // By then the market is an hour and a half ahead: compared with the gateway's clock, an offset of 3.5 hours.
    await rig.clock.advance(45_000);
    await rig.connect();
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: twoHours, source: 'derived' });
  });

  it.each([
    ['Asia/Kolkata', 19_800],
    ['Asia/Kathmandu', 20_700],
    ['America/New_York', -18_000],
    ['Pacific/Kiritimati', 50_400],
  ])('is also derived for a server in %s', async (zone, offset) => {
    rig = await TimeRig.create({}, { zone });
    await rig.connect();
    expect(rig.serverTime.report().offset_seconds).toBe(offset);
  });
});

describe('the derivation (GTD rules 3 and 4)', () => {
  it('happens at every connect and every TERMINAL_TIME_REFRESH_SECONDS while connected', async () => {
    rig = await TimeRig.create({ refreshMs: 60_000 });
    await rig.connect();
    const first = rig.serverTime.report().derived_at;
    await rig.clock.advance(39_999);
    expect(rig.serverTime.report().derived_at).toBe(first);
    await rig.clock.advance(20_000);
    expect(rig.serverTime.report().age_seconds).toBeLessThanOrEqual(20);
    rig.serverTime.disconnected();
    await rig.clock.advance(300_000);
    expect(rig.serverTime.report().age_seconds).toBeGreaterThanOrEqual(300);
    await rig.connect();
    expect(rig.serverTime.report().age_seconds).toBeLessThanOrEqual(20);
  });

  it('is repeated half a minute after a derivation without a result', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'frozen-quotes' });
    await rig.connect();
    rig.simulator.faults.clear();
    await rig.clock.advance(27_000);
    expect(rig.serverTime.report().source).toBeNull();
    await rig.clock.advance(23_000);
    expect(rig.serverTime.report().offset_seconds).toBe(twoHours);
  });

  it('happens only at a connect if the period is 0', async () => {
    rig = await TimeRig.create({ refreshMs: 0 });
    await rig.connect();
    await rig.clock.advance(86_400_000);
    expect(rig.serverTime.report().age_seconds).toBeGreaterThanOrEqual(86_399);
  });

  it('never uses frozen quotes', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'frozen-quotes' });
    await rig.connect();
    await rig.clock.advance(3_600_000);
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: null, source: null });
  });

  it('uses the reference symbol if there is one', async () => {
    rig = await TimeRig.create({ referenceSymbol: 'XAUUSD' });
    await rig.connect();
    expect(rig.serverTime.report()).toMatchObject({ symbol: 'XAUUSD', offset_seconds: twoHours });
  });

  it('uses other symbols after TERMINAL_TIME_DERIVE_ATTEMPTS reads of a frozen reference symbol', async () => {
    rig = await TimeRig.create({ referenceSymbol: 'XAUUSD', deriveAttempts: 4 });
    rig.breakWith({ kind: 'frozen-quotes', symbols: ['XAUUSD'] });
    rig.serverTime.connected('Simulator-Demo');
    await rig.clock.advance(5_999);
    expect(rig.serverTime.report().source).toBeNull();
    await rig.clock.advance(6_001);
    expect(rig.serverTime.report()).toMatchObject({ offset_seconds: twoHours });
    expect(rig.serverTime.report().symbol).not.toBe('XAUUSD');
  });

  it('is delayed, with a warning, if the quotes cannot be read', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'failed-reads', methods: ['symbolsGet'], code: -3, times: 1 });
    await rig.connect();
    expect(rig.serverTime.report().source).toBeNull();
    expect(rig.warnings).toEqual([expect.stringContaining('the quotes cannot be read')]);
    await rig.clock.advance(40_000);
    expect(rig.serverTime.report().offset_seconds).toBe(twoHours);
  });

  it('ignores a derivation that started in an earlier session', async () => {
    rig = await TimeRig.create();
    rig.serverTime.connected('Simulator-Demo');
    await rig.clock.advance(1_000);
    rig.serverTime.disconnected();
    await rig.clock.advance(60_000);
    expect(rig.serverTime.report().source).toBeNull();
  });

  it('stops with the session', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'disconnected' });
    await rig.connect();
    expect(rig.serverTime.report().source).toBeNull();
  });
});

describe('a server whose clock changes (GTD rule 5)', () => {
  it('is followed once the new value is confirmed, with a warning for the disagreement and one for the switch', async () => {
    rig = await TimeRig.create();
    await rig.connect();
    rig.breakWith({ kind: 'clock-offset', seconds: 3_600 });
    await rig.clock.advance(600_000);
    expect(rig.serverTime.report().offset_seconds).toBe(threeHours);
    expect(rig.warnings).toEqual([
      expect.stringContaining('7200 s stays in force until that is confirmed'),
      expect.stringContaining('changes from 7200 s to 10800 s'),
    ]);
  });

  it('needs TERMINAL_TIME_OFFSET_CONFIRMATIONS readings', async () => {
    rig = await TimeRig.create({ confirmations: 4 });
    await rig.connect();
    rig.breakWith({ kind: 'clock-offset', seconds: -3_600 });
    const offsets: (number | null)[] = [];
    for (let warned = 0; warned < 4;) {
      await rig.clock.advance(1_000);
      if (rig.warnings.length === warned) continue;
      warned = rig.warnings.length;
      offsets.push(rig.serverTime.report().offset_seconds);
    }
    expect(offsets).toEqual([twoHours, twoHours, twoHours, 3_600]);
  });
});

describe('a good-till-date order (GTD rules 6 to 8)', () => {
  it('uses the derived offset while it is recent enough, to the second', async () => {
    rig = await TimeRig.create({ refreshMs: 0 });
    await rig.connect();
    rig.breakWith({ kind: 'frozen-quotes' });
    const derivedAtMs = Date.parse(rig.serverTime.report().derived_at ?? '');
    await rig.clock.advance(derivedAtMs + 21_600_000 - rig.clock.nowMs());
    expect(await rig.order('EURUSD', noon)).toBe(serverNoon);
    expect(await rig.order('EURUSD', noon)).toEqual({ reason: 'stale', ageSeconds: 21_618 });
  });

  it('derives it from its own symbol if there is none, within TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS reads', async () => {
    rig = await TimeRig.create();
    const answer = await rig.order('USDJPY', noon);
    expect(answer).toBe(serverNoon);
    expect(rig.serverTime.report()).toMatchObject({ source: 'derived', symbol: 'USDJPY' });
  });

  it('shares its reads with other orders of the symbol, and reports a dead terminal as such', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'failed-reads', methods: ['ticks'], times: 1 });
    const orders = [rig.serverTime.requireForOrder('EURUSD', noon), rig.serverTime.requireForOrder('EURUSD', noon)];
    const outcomes = await Promise.allSettled(orders);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({ reason: { name: 'TerminalUnavailableError' } });
    expect(await rig.order('EURUSD', noon)).toBe(serverNoon);
  });

  it('is denied if its quote does not move, even if another one does', async () => {
    rig = await TimeRig.create();
    rig.breakWith({ kind: 'frozen-quotes', symbols: ['USDJPY'] });
    expect(await rig.order('USDJPY', noon)).toEqual({ reason: 'unknown', ageSeconds: undefined });
  });

  it('is denied until a fresh quote renews an expired offset, and then allowed', async () => {
    rig = await TimeRig.create({ refreshMs: 0 });
    await rig.connect();
    rig.breakWith({ kind: 'frozen-quotes' });
    await rig.clock.advance(25_000_000);
    expect(await rig.order('EURUSD', noon)).toMatchObject({ reason: 'stale' });
    rig.simulator.faults.clear();
    expect(await rig.order('EURUSD', noon)).toBe(serverNoon);
  });
});

describe('the offset over a restart', () => {
  it('is kept with its time: reads use it at once, orders depending on its age', async () => {
    rig = await TimeRig.create();
    await rig.connect();
    rig.breakWith({ kind: 'frozen-quotes' });
    await rig.restart();
    expect(rig.serverTime.report()).toMatchObject({ source: 'derived', offset_seconds: twoHours });
    expect(rig.serverTime.utcIso(serverNoon)).toBe('2024-01-16T12:00:00Z');
    await rig.clock.advance(200_000_000);
    await rig.restart();
    expect(rig.serverTime.utcIso(serverNoon)).toBe('2024-01-16T12:00:00Z');
    expect(await rig.order('EURUSD', noon)).toMatchObject({ reason: 'stale' });
  });

  it('is dropped with a warning when the account is on another server', async () => {
    rig = await TimeRig.create();
    await rig.connect();
    await rig.restart();
    rig.breakWith({ kind: 'frozen-quotes' });
    await rig.connect('Another-Live');
    expect(rig.serverTime.report().source).toBeNull();
    expect(rig.warnings).toEqual([expect.stringContaining('the offset of Simulator-Demo is dropped')]);
  });

  it.each(['', '{"offsetSec', '{}', '[]', '{"offsetSeconds":"7200","symbol":"X","derivedAtMs":1,"server":"S"}'])(
    'is derived again if the file contains %j',
    async (content) => {
      rig = await TimeRig.create();
      writeFileSync(join(rig.stateDir, 'server-time-offset.json'), content);
      await rig.restart();
      expect(rig.serverTime.report().source).toBeNull();
      await rig.connect();
      expect(rig.serverTime.report().offset_seconds).toBe(twoHours);
    },
  );

  it('only causes a warning if the folder cannot be written', async () => {
    rig = await TimeRig.create({}, { stateDir: '/dev/null/nowhere' });
    await rig.connect();
    expect(rig.serverTime.report().offset_seconds).toBe(twoHours);
    expect(rig.warnings).toEqual([expect.stringContaining('cannot be kept on disk')]);
  });
});

describe('times in answers', () => {
  it('are UTC with a Z, and null for the 0 of the terminal', async () => {
    rig = await TimeRig.create({ zone: parseServerZone('Europe/Athens') });
    const { serverTime } = rig;
    expect(serverTime.utcIso(Date.UTC(2024, 6, 1, 3) / 1_000)).toBe('2024-07-01T00:00:00Z');
    expect(serverTime.utcIsoMs(Date.UTC(2024, 0, 1, 1, 59, 59, 7))).toBe('2023-12-31T23:59:59.007Z');
    expect([serverTime.utcIso(0), serverTime.utcIsoMs(0)]).toEqual([null, null]);
    expect(serverTime.toServerSeconds(Date.UTC(2024, 6, 1, 0, 0, 0, 999))).toBe(Date.UTC(2024, 6, 1, 3) / 1_000);
  });

  it('have no zone while no offset is known: server time is never labelled UTC', async () => {
    rig = await TimeRig.create();
    const { serverTime } = rig;
    expect([
      serverTime.utcIso(1),
      serverTime.toServerSeconds(1),
      serverTime.toUtcMs(1),
      serverTime.toServerMs(1),
    ]).toEqual([...[null, null, null, null]]);
  });
});
