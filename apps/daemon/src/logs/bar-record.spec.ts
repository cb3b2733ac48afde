import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import type { BarEvent } from '../core/strategy-event';
import { parseBarLine } from './bar-record';
import { LogBook } from './log-book';

const minuteMs = 60_000;
const eur = 'demo:EURUSD@M1';
const barAt = (minute: number, close = 1.15): BarEvent => {
  const series = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs: (minute - 120) * minuteMs };
  const bar = { ...series, open: 1.1, high: 1.2, low: 1, close, tickVolume: 3, lateMs: 0 };
  const times = { serverMs: minute * minuteMs, closedMs: (minute + 1) * minuteMs, onArrival: null };
  return { type: 'bar', warmingUp: false, ...times, bar };
};

describe('the record of the bars that a strategy has handled', () => {
  let folder: string;
  let book: LogBook;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'bars-')), 'logs');
    book = new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
  });
  const file = () => join(folder, 'book~trend.bars');
  const lines = () => readFileSync(file(), 'utf8').split('\n').filter(Boolean);
  const minutes = () => lines().map((line) => (parseBarLine(line)?.openMs ?? NaN) / minuteMs);

  it('has each bar as it was delivered, and which one was handled before it', async () => {
    const late = barAt(7, 1.16);
    book.barsOf('book/trend').note(eur, null, barAt(6));
    book.barsOf('book/trend').note(eur, 6 * minuteMs, { ...late, bar: { ...late.bar, lateMs: 70_000 } });
    await book.flushed();
    const prices = { open: 1.1, high: 1.2, low: 1, tickVolume: 3 };
    expect(lines().map(parseBarLine)).toEqual([
      { stream: eur, afterMs: null, openMs: 360_000, closedMs: 420_000, ...prices, close: 1.15, lateMs: 0 },
      { stream: eur, afterMs: 360_000, openMs: 420_000, closedMs: 480_000, ...prices, close: 1.16, lateMs: 70_000 },
    ]);
    expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
  });

  it('has a bar once where two streams of the strategy deliver it', async () => {
    book.barsOf('book/trend').note(eur, 5 * minuteMs, barAt(6));
    book.barsOf('book/trend').note(eur, 6 * minuteMs, barAt(6));
    await book.flushed();
    expect(minutes()).toEqual([6]);
  });

  it('goes on after a line that a crash has cut off', async () => {
    book.barsOf('book/trend').note(eur, 5 * minuteMs, barAt(6));
    await book.flushed();
    appendFileSync(file(), lines()[0]?.slice(0, 40) ?? '');
    const next = new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
    next.barsOf('book/trend').note(eur, 7 * minuteMs, barAt(8));
    await next.flushed();
    expect(minutes()).toEqual([6, NaN, 8]);
  });

  it.each([
    ['another digit', (line: string) => line.replace('1.15', '1.16')],
    ['half a line', (line: string) => line.slice(0, -20)],
    ['no line', () => '\u0000\u0000'],
  ])('shows a damaged line: %s', async (_, damage) => {
    book.barsOf('book/trend').note(eur, 5 * minuteMs, barAt(6));
    await book.flushed();
    const [line = ''] = lines();
    expect([parseBarLine(line)?.close, parseBarLine(damage(line))]).toEqual([1.15, null]);
  });

  it('names a disk error once in the log of the strategy, and continues when the disk works again', async () => {
    const said: string[] = [];
    book.of('book/trend').follow((line) => said.push(line));
    // A file in place of the folder.
    writeFileSync(folder, '');
    const note = async (minute: number): Promise<void> => {
      book.barsOf('book/trend').note(eur, (minute - 1) * minuteMs, barAt(minute));
      await book.flushed();
    };
    await note(6);
    await note(7);
    rmSync(folder);
    await note(8);
    expect(minutes()).toEqual([8]);
    expect(said).toEqual([expect.stringMatching(/ WARNING received bars cannot be recorded \{"problem":"E.*"\}$/)]);
  });

  it('has two files of limited size', async () => {
    const record = book.barsOf('book/trend');
    for (let minute = 1; minute < 200_000; minute++) {
      record.note(eur, (minute - 1) * minuteMs, barAt(minute));
      if (minute % 20_000 === 0) await book.flushed();
    }
    await book.flushed();
    const sizes = [file(), `${file()}.1`].map((path) => statSync(path).size);
    expect(Math.max(...sizes)).toBeLessThan(13 * 1024 * 1024);
    expect(minutes().at(-1)).toBe(199_999);
  });
});
