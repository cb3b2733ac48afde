import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { LogBook } from './log-book';

const minuteMs = 60_000;

describe('the record of what a strategy earned', () => {
  let folder: string;
  let book: LogBook;
  const opened = (): LogBook => new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'equity-')), 'logs');
    book = opened();
  });
  const note = (minute: number, realized: number, unrealized: number): void =>
    book.equityOf('book/trend').note({ atMs: minute * minuteMs, realized, unrealized });
  const read = (fromMinute = 0, everyMinutes = 1) =>
    book.equityOf('book/trend').read(fromMinute * minuteMs, everyMinutes);
  const minutesOf = async (fromMinute = 0, everyMinutes = 1) =>
    (await read(fromMinute, everyMinutes)).readings.map(({ atMs }) => atMs / minuteMs);

  it('has each reading, also of an earlier process, and nothing for a time without one', async () => {
    note(1, 0, -1.25);
    note(2, 3.5, 0);
    await book.flushed();
    book = opened();
    note(9, -2e-7, 1);
    expect(await read()).toEqual({
      readings: [
        { atMs: minuteMs, realized: 0, unrealized: -1.25 },
        { atMs: 2 * minuteMs, realized: 3.5, unrealized: 0 },
        { atMs: 9 * minuteMs, realized: -2e-7, unrealized: 1 },
      ],
      maxDrawdown: 2.5000002,
    });
    expect(await opened().equityOf('other').read(0, 1)).toEqual({ readings: [], maxDrawdown: null });
  });

  it('takes no number that was cut off for another one, and goes on after it', async () => {
    note(1, 100, 0);
    await book.flushed();
    appendFileSync(join(folder, 'book~trend.equity'), '120 -1234');
    book = opened();
    note(3, 101, 0);
    expect(await minutesOf()).toEqual([1, 3]);
    appendFileSync(join(folder, 'book~trend.equity'), '240 -12 34');
    expect(await minutesOf()).toEqual([1, 3]);
  });

  it('thins a long time out to the last reading of each step, but not the drawdown', async () => {
    for (let minute = 1; minute <= 60; minute++) note(minute, minute === 31 ? -50 : 0, minute % 2);
    expect(await minutesOf(0, 20)).toEqual([19, 39, 59, 60]);
    expect(await minutesOf(55)).toEqual([55, 56, 57, 58, 59, 60]);
    // From 1 in an odd minute to -50 + 1.
    expect((await read(0, 20)).maxDrawdown).toBe(50);
    expect((await read(32)).maxDrawdown).toBe(1);
  });

  it('shows no time twice after the clock was set back', async () => {
    for (const minute of [1, 2, 8, 3, 4]) note(minute, minute, 0);
    expect(await minutesOf()).toEqual([1, 2, 3, 4]);
  });

  it('keeps two files, and reads on from one to the other', async () => {
    for (let minute = 1; minute <= 300_000; minute++) note(minute, minute, -0.123456789);
    await book.flushed();
    note(300_001, 1, 1);
    expect((await minutesOf(0, 1_000)).at(-1)).toBe(300_001);
    expect(readFileSync(join(folder, 'book~trend.equity'), 'utf8').length).toBeLessThan(4.3 * 1024 * 1024);
  });
});
