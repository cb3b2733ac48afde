import { isZoneName, parseZoneName } from './zone-name';

describe('the name of a zone', () => {
  it.each([
    ['Europe/Athens', 'Europe/Athens', 0],
    ['America/New_York+7', 'America/New_York', 7 * 3_600_000],
    ['Asia/Tokyo-2:30', 'Asia/Tokyo', -9_000_000],
    ['Etc/GMT+5', 'Etc/GMT+5', 0],
    [' UTC ', 'UTC', 0],
  ])('%s is a zone of the platform and a shift', (text, zone, shiftMs) => {
    expect(parseZoneName(text)).toEqual({ zone, shiftMs });
  });

  it.each(['Nowhere/Here', '+03:00', '3', '', 'Europe/Athens+', 'Europe/Athens+15', 'America/New_York+7:60'])(
    '%j is refused',
    (text) => {
      expect(isZoneName(text)).toBe(false);
      expect(() => parseZoneName(text)).toThrow(
        'must be an IANA time zone such as Europe/Athens, or one with a shift such as America/New_York+7',
      );
    },
  );
});
