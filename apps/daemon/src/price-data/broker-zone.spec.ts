import { ServerClock } from '@libs/simulator';
import { zoneOf } from './broker-zone';

const hourMs = 3_600_000;
const winter = Date.UTC(2024, 0, 9, 12);
const summer = Date.UTC(2024, 6, 9, 12);

describe('the zone of a broker', () => {
  it.each([
    ['the usual one in winter', winter, 2, 'Europe/Athens'],
    ['the usual one in summer', summer, 3, 'Europe/Athens'],
    ['that of New York in the weeks when Athens differs', Date.UTC(2026, 2, 10, 12), 3, 'America/New_York+7'],
    ['UTC', winter, 0, 'UTC'],
    ['ahead of UTC', winter, 3, 'Etc/GMT-3'],
    ['without summer time', summer, 2, 'Etc/GMT-2'],
    ['behind UTC', summer, -5, 'Etc/GMT+5'],
  ])('is %s', (_what, utcMs, hours, zone) => {
    const serverMs = utcMs + hours * hourMs;
    expect(zoneOf(serverMs, utcMs)).toBe(zone);
    expect(new ServerClock(zone).serverMs(utcMs)).toBe(serverMs);
  });

  it.each([
    ['not whole hours', winter + 5.5 * hourMs],
    ['no offset of a zone', 0],
  ])('is not known for %s', (_what, serverMs) => {
    expect(zoneOf(serverMs, winter)).toBeNull();
  });
});
