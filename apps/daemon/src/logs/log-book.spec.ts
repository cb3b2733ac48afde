import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { LogBook } from './log-book';
import { microsOf } from './log-line';

describe('a strategy’s log', () => {
  const setUp = () => new LogBook(mkdtempSync(join(tmpdir(), 'logs-')), new VirtualClock(), pino({ level: 'silent' }));
  const all = { lines: 200, sinceMicros: null, level: 'debug' } as const;

  it('is read from its end, so that the newest lines come however long it is', async () => {
    const book = setUp();
    const log = book.of('ema');
    for (let line = 0; line < 20_000; line++) log.info(`line ${line} – ünï`);
    const { lines } = await book.read('ema', { ...all, lines: 3_000 });
    expect(lines.map((line) => line.split(' ').slice(2).join(' '))).toEqual(
      Array.from({ length: 3_000 }, (_, index) => `line ${index + 17_000} – ünï`),
    );
  });

  it('can be read on from where the last reading ended, without losing or repeating a line of the same instant', async () => {
    const book = setUp();
    const log = book.of('ema');
    log.info('one');
    const first = await book.read('ema', all);
    log.info('two');
    log.info('three');
    const second = await book.read('ema', { ...all, sinceMicros: microsOf(first.nextSince ?? '') });
    expect(second.lines.map((line) => line.split(' ')[2])).toEqual(['two', 'three']);
    expect(await book.read('ema', { ...all, sinceMicros: microsOf(second.nextSince ?? '') })).toEqual({
      name: 'ema',
      lines: [],
      nextSince: second.nextSince,
      linesRemoved: false,
    });
  });

  it('gives a poller every line, however few it takes at a time: the oldest after `since` first', async () => {
    const book = setUp();
    const log = book.of('ema');
    for (let line = 0; line < 3_000; line++) log.info(`line ${line}`);
    const read: string[] = [];
    let since = '2023-12-31T00:00:00Z';
    for (;;) {
      const { lines, nextSince } = await book.read('ema', { ...all, lines: 700, sinceMicros: microsOf(since) });
      if (lines.length === 0) break;
      read.push(...lines.map((line) => line.split(' ').slice(2).join(' ')));
      since = nextSince ?? '';
    }
    expect(read).toEqual(Array.from({ length: 3_000 }, (_, index) => `line ${index}`));
  });

  it('gives a follower, which reads on, the newest lines after `since`', async () => {
    const book = setUp();
    const log = book.of('ema');
    for (let line = 0; line < 10; line++) log.info(`line ${line}`);
    const query = { ...all, lines: 2, sinceMicros: microsOf('2024-01-01T00:00:00Z') };
    const { lines } = await book.read('ema', query, 'newest');
    expect(lines.map((line) => line.split(' ').slice(2).join(' '))).toEqual(['line 8', 'line 9']);
  });

  it('reports lines that rotation has removed to a reader who asked for them', async () => {
    const book = setUp();
    const log = book.of('ema');
    const long = 'x'.repeat(60_000);
    const write = async (count: number): Promise<void> => {
      for (let line = 0; line < count; line++) {
        log.info(`${line} ${long}`);
        await log.flushed();
      }
    };
    const start = microsOf('2024-01-01T00:00:00Z');
    await write(150);
    expect(await book.read('ema', { ...all, sinceMicros: start })).toMatchObject({ linesRemoved: false });
    await write(150);
    expect(await book.read('ema', { ...all, sinceMicros: start })).toMatchObject({ linesRemoved: true });
    expect(await book.read('ema', { ...all, lines: 10_000 })).toMatchObject({ linesRemoved: true });
    const { lines, linesRemoved, nextSince } = await book.read('ema', { ...all, lines: 5 });
    expect([lines.length, linesRemoved]).toEqual([5, false]);
    expect(await book.read('ema', { ...all, sinceMicros: microsOf(nextSince ?? '') })).toMatchObject({
      ...{ lines: [], linesRemoved: false },
    });
  });

  it('is known while its file exists, by exactly its own name', async () => {
    const book = setUp();
    expect(await book.has('book/trend')).toBe(false);
    book.of('book/trend').info('one');
    await book.flushed();
    expect(await book.has('book/trend')).toBe(true);
    for (const name of ['book', 'trend', 'book~trend', '../logs/book~trend', 'book/trend.log']) {
      expect([name, await book.has(name)]).toEqual([name, false]);
    }
  });

  it('ends its followers when its strategy is removed', () => {
    const log = setUp().of('ema');
    const heard: string[] = [];
    log.follow(
      (line) => heard.push(line),
      () => heard.push('end'),
    );
    log.info('one');
    log.endFollowing();
    log.info('two');
    expect(heard).toEqual([expect.stringContaining('one'), 'end']);
  });

  it('omits lower levels than requested, and lines of other strategies', async () => {
    const book = setUp();
    book.of('book/trend').debug('detail');
    book.of('book/trend').error('it broke\nhere', { code: 7 });
    for (const other of ['other', 'book__trend', 'book']) book.of(other).error('not yours');
    const { lines } = await book.read('book/trend', { ...all, level: 'warning' });
    expect(lines).toEqual(['2024-01-01T00:00:00.000001Z ERROR it broke\\nhere {"code":7}']);
  });

  it.each([
    ['a carriage return', 'a\rb', 'a\\rb'],
    ['a line separator', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['a command of a terminal', '\x1b]0;x\x07\x9b2J', '\\u001b]0;x\\u0007\\u009b2J'],
    ['a text of other programs', 'one\r\ntwo\tthree', 'one\\r\\ntwo\tthree'],
    ['text that is read from right to left', 'שלום 👋', 'שלום 👋'],
  ])('shows a line with %s, and no control character', async (_case, text, shown) => {
    const book = setUp();
    book.of('ema').info(text);
    expect((await book.read('ema', all)).lines).toEqual([`2024-01-01T00:00:00.000000Z INFO ${shown}`]);
  });

  it('shows a line with control characters that an earlier version wrote, escaped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logs-'));
    writeFileSync(join(folder, 'old.log'), '2024-01-01T00:00:00.000001Z ERROR broken\rx\u2028\x1b[2J\n');
    const book = new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
    const { lines } = await book.read('old', all);
    expect(lines).toEqual(['2024-01-01T00:00:00.000001Z ERROR broken\\rx\\u2028\\u001b[2J']);
  });

  it('is readable by its owner alone, also where an earlier version wrote it for everyone', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'logs-')), 'logs');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'old.log'), '');
    chmodSync(join(folder, 'old.log'), 0o644);
    const book = new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
    for (const name of ['old', 'new']) book.of(name).info('a line');
    await book.flushed();
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    const paths = [folder, join(folder, 'old.log'), join(folder, 'new.log')];
    expect(paths.map(modeOf)).toEqual(['700', '600', '600']);
  });

  it('never fills the disk, however much a strategy logs: two files, and dropped lines are counted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logs-'));
    const book = new LogBook(folder, new VirtualClock(), pino({ level: 'silent' }));
    const log = book.of('ema');
    let heard = 0;
    log.follow(() => heard++);
    const long = 'é'.repeat(60_000);
    for (let round = 0; round < 40; round++) {
      // Without waiting in between, as one event of a strategy may.
      for (let line = 0; line < 50; line++) log.info(`${round}/${line} ${long}`);
      await log.flushed();
    }
    expect(heard).toBe(2_000);
    const files = readdirSync(folder);
    expect(files.every((file) => ['ema.log', 'ema.log.1'].includes(file))).toBe(true);
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBeLessThan(2 * (8 + 5) * 1024 * 1024);
    const { lines } = await book.read('ema', { ...all, level: 'warning' });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]).toMatch(/WARNING \d+ lines were dropped: they arrived faster than the disk could write them$/);
  });

  it('cuts a line that is longer than any reader wants', async () => {
    const book = setUp();
    book.of('ema').info('x'.repeat(10_000_000));
    const { lines } = await book.read('ema', all);
    expect(lines[0]).toHaveLength(
      '2024-01-01T00:00:00.000001Z INFO '.length + 65_536 + '... (9934464 more characters)'.length,
    );
    expect(lines[0]).toMatch(/x\.\.\. \(9934464 more characters\)$/);
  });

  it('continues for a follower over a rotation, and its older lines stay readable', async () => {
    const book = setUp();
    const log = book.of('ema');
    const heard: string[] = [];
    log.follow((line) => heard.push(line));
    const long = 'x'.repeat(60_000);
    for (let line = 0; line < 160; line++) {
      log.info(`${line} ${long}`);
      await log.flushed();
    }
    expect(heard).toHaveLength(160);
    const { lines } = await book.read('ema', all);
    expect(lines.map((line) => line.split(' ')[2])).toEqual(Array.from({ length: 160 }, (_, index) => String(index)));
  });
});
