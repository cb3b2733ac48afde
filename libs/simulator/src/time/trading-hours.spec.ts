import { ServerClock } from './server-clock';
import { continuousSchedule, fxSchedule, indexSchedule, type Schedule, TradingHours } from './trading-hours';

const server = new ServerClock('Europe/Athens');
const isOpen = (schedule: Schedule, iso: string): boolean => new TradingHours(schedule, server).isOpen(Date.parse(iso));

describe('trading hours', () => {
  it.each([
    ['the spot week opens on Sunday at 17:00 in New York', fxSchedule, '2024-01-07T21:59Z', '2024-01-07T22:00Z'],
    ['in summer an hour earlier in UTC', fxSchedule, '2024-07-07T20:59Z', '2024-07-07T21:00Z'],
    ['indices open an hour later', indexSchedule, '2024-01-07T22:59Z', '2024-01-07T23:00Z'],
    ['indices open again after the daily break', indexSchedule, '2024-01-09T22:30Z', '2024-01-09T23:00Z'],
    ['the spot market opens after a holiday', fxSchedule, '2024-12-26T04:59Z', '2024-12-26T05:00Z'],
  ])('%s', (_, schedule, closed, open) => {
    expect([isOpen(schedule, closed), isOpen(schedule, open)]).toEqual([false, true]);
  });

  it.each([
    ['the spot week ends on Friday at 17:00 in New York', fxSchedule, '2024-01-12T21:59Z', '2024-01-12T22:00Z'],
    ['indices pause for an hour each day', indexSchedule, '2024-01-09T21:59Z', '2024-01-09T22:00Z'],
    ['the spot market keeps Christmas', fxSchedule, '2024-12-25T04:59Z', '2024-12-25T05:00Z'],
  ])('%s', (_, schedule, open, closed) => {
    expect([isOpen(schedule, open), isOpen(schedule, closed)]).toEqual([true, false]);
  });

  it('of a symbol without a zone are on the clock of the server, and a holiday may be of one year', () => {
    const schedule = { sessions: [{ day: 2, from: 600, to: 660 }], holidays: ['2024-05-21'] };
    expect(isOpen(schedule, '2024-05-14T07:00Z')).toBe(true);
    expect(isOpen(schedule, '2024-05-14T08:00Z')).toBe(false);
    expect(isOpen(schedule, '2024-05-21T07:00Z')).toBe(false);
    expect(isOpen(schedule, '2024-05-28T07:00Z')).toBe(true);
  });

  it('of crypto never end', () => {
    expect(isOpen(continuousSchedule, '2024-12-25T03:00Z')).toBe(true);
  });
});
