import { parseServerZone } from '../server-time/zone-setting';
import { serverWindow } from './server-window';

const hour = 3_600_000;
/** 29 March and 25 October 2026, 01:00 UTC: Athens goes from +2 to +3, and back. */
const spring = Date.UTC(2026, 2, 29, 1);
const autumn = Date.UTC(2026, 9, 25, 1);

const zone = parseServerZone('Europe/Athens');
const athens = { toServerMs: (utcMs: number) => zone.toServerMs(utcMs) };

describe('the window of a UTC span on the server’s clock', () => {
  it('is the span moved by the offset of each of its ends', () => {
    const span = { fromMs: spring - 24 * hour, toMs: spring + 24 * hour };
    expect(serverWindow(athens, span)).toEqual({
      fromMs: span.fromMs + 2 * hour,
      toMs: span.toMs + 3 * hour,
      basis: 'utc',
    });
  });

  it('contains every instant of the span, even while the clock is set back', () => {
    for (let from = autumn - 4 * hour; from < autumn + 4 * hour; from += hour / 4) {
      const span = { fromMs: from, toMs: from + 2 * hour };
      const window = serverWindow(athens, span);
      for (let instant = span.fromMs; instant <= span.toMs; instant += hour / 12) {
        expect(zone.toServerMs(instant)).toBeGreaterThanOrEqual(window.fromMs);
        expect(zone.toServerMs(instant)).toBeLessThanOrEqual(window.toMs);
      }
    }
  });

  it('is the span itself while no offset is known, and states it', () => {
    expect(serverWindow({ toServerMs: () => null }, { fromMs: 1, toMs: 2 })).toEqual({
      fromMs: 1,
      toMs: 2,
      basis: 'server',
    });
  });
});
