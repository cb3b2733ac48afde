import { dayBefore, dayOf, isReportDue } from './daily-report';

describe('the time of the report of the day', () => {
  const atMinute = 23 * 60 + 55;
  const at = (day: number, time: string): number => Date.parse(`2026-01-0${day}T${time}Z`);

  it('comes once on each day of the broker, from its minute on', () => {
    const due = (time: string, day: number, lastDay: number): boolean =>
      isReportDue(at(day, time), atMinute, dayOf(at(lastDay, '00:00')));
    expect([due('23:54:59.999', 7, 6), due('23:55', 7, 6), due('23:59', 7, 7)]).toEqual([false, true, false]);
    // It was not running at the time: the day is over.
    expect(due('00:01', 8, 6)).toBe(false);
    expect(due('23:55', 8, 6)).toBe(true);
  });

  it('comes on the first day if the gateway began before it, and else on the next one', () => {
    const first = (time: string): boolean => isReportDue(at(7, '23:55'), atMinute, dayBefore(at(7, time), atMinute));
    expect([first('10:00'), first('23:54'), first('23:55'), first('23:58')]).toEqual([true, true, false, false]);
  });
});
