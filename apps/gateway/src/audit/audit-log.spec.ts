import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { SimulatedDisk } from '@libs/simulated-disk';
import { passUntilDone } from '../testing/passing-time';
import { AuditLog } from './audit-log';
import { auditFields } from './audit-event';

const iso = (ms: number): string => new Date(ms).toISOString();

interface Line extends Record<string, unknown> {
  readonly sequence: number;
  readonly timestamp: string;
  readonly event: string;
}

describe('the audit log', () => {
  let folder: string;
  let path: string;
  let clock: VirtualClock;
  let log: AuditLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
    path = join(folder, 'sub', 'audit.jsonl');
    clock = new VirtualClock();
    log = new AuditLog(machineFiles, path, clock);
    await log.open();
  });

  afterEach(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });

  const text = (): Promise<string> => readFile(path, 'utf8');
  const lines = async (): Promise<Line[]> =>
    (await text())
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line);

  it('writes one numbered line per event, with every field', async () => {
    await log.append({ event: 'intent', symbol: 'EURUSD', volume_requested: 0.1 });
    await clock.advance(1_500);
    await log.append({ event: 'broker_response', retcode: 10009 });
    const [first, second] = await lines();
    expect(first).toMatchObject({
      timestamp: '2024-01-01T00:00:00.000Z',
      sequence: 1,
      event: 'intent',
      symbol: 'EURUSD',
      retcode: null,
    });
    expect(second).toMatchObject({ timestamp: '2024-01-01T00:00:01.500Z', sequence: 2, retcode: 10009 });
    expect(Object.keys(first ?? {})).toEqual([
      'timestamp',
      'sequence',
      'event',
      ...auditFields,
      'running_ms',
      'record',
    ]);
  });

  it('is readable by its owner alone', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the order of simultaneous events', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, ticket) => log.append({ event: 'intent', ticket })));
    const written = await lines();
    expect(written.map(({ ticket }) => ticket)).toEqual(Array.from({ length: 500 }, (_, ticket) => ticket));
    expect(written.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  });

  it('continues the numbering of an earlier process', async () => {
    await log.append({ event: 'login', login: 1 });
    await log.close();
    log = new AuditLog(machineFiles, path, clock);
    await log.append({ event: 'logout', login: 1 });
    expect((await lines()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('ends a line that a crash cut short, so that the next one starts on a line of its own', async () => {
    await log.append({ event: 'intent', ticket: 1 });
    await log.close();
    await appendFile(path, '{"timestamp":"2024-01-01T00:00');
    log = new AuditLog(machineFiles, path, clock);
    await log.open();
    await log.append({ event: 'intent', ticket: 2 });
    const [first, torn, next] = (await text()).split('\n');
    expect(first).toContain('"ticket":1');
    expect(torn).toBe('{"timestamp":"2024-01-01T00:00');
    expect(JSON.parse(next ?? '')).toMatchObject({ sequence: 2, ticket: 2 });
  });

  it('gives no number twice after a crash that cut off only the line break', async () => {
    await log.append({ event: 'intent', ticket: 1 });
    await log.append({ event: 'intent', ticket: 2 });
    await log.close();
    await writeFile(path, (await text()).trimEnd());
    log = new AuditLog(machineFiles, path, clock);
    await log.append({ event: 'intent', ticket: 3 });
    expect((await lines()).map(({ sequence, ticket }) => [sequence, ticket])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('counts the time for which it runs over restarts, whatever the wall clock is set to', async () => {
    await clock.advance(2_000);
    await log.append({ event: 'intent' });
    await log.close();
    const later = new VirtualClock(clock.nowMs() + 86_400_000);
    log = new AuditLog(machineFiles, path, later);
    await log.append({ event: 'intent' });
    await later.advance(500);
    await log.append({ event: 'intent' });
    expect((await lines()).map(({ running_ms: runningMs }) => runningMs)).toEqual([2_000, 2_000, 2_500]);
  });

  it('never goes back in time when the wall clock is set back', async () => {
    await log.append({ event: 'intent' });
    await log.close();
    log = new AuditLog(machineFiles, path, new VirtualClock(clock.nowMs() - 3_600_000));
    await log.append({ event: 'intent' });
    const [first, second] = await lines();
    expect(second?.timestamp).toBe(first?.timestamp);
  });

  it('rejects each write while the disk is full', async () => {
    const full = new AuditLog(machineFiles, '/dev/full', clock);
    await expect(full.append({ event: 'intent' })).rejects.toThrow('ENOSPC');
    await expect(full.append({ event: 'intent' })).rejects.toThrow('ENOSPC');
    await full.close();
  });

  it('accepts a line in the turn in which the previous write completes', async () => {
    for (let ticket = 1; ticket <= 3; ticket++) expect(await log.keep({ event: 'intent', ticket })).toBe(true);
    expect((await lines()).map(({ ticket }) => ticket)).toEqual([1, 2, 3]);
  });

  it('reports its state', async () => {
    expect(log.status).toMatchObject({ state: 'ok', error: null });
    const full = new AuditLog(machineFiles, '/dev/full', clock);
    await full.append({ event: 'intent' }).catch(() => undefined);
    expect(full.status).toMatchObject({ state: 'unavailable', error: 'no space left on device (ENOSPC)' });
    await full.close();
  });

  it('is unavailable from the start on a full disk', async () => {
    const disk = new SimulatedDisk(clock, () => 0.5);
    const { files } = disk.view;
    const lines = new AuditLog(files, '/order-audit.jsonl', clock);
    await passUntilDone(clock, lines.open());
    expect(lines.status.state).toBe('ok');
    await passUntilDone(clock, lines.close());
    disk.fill();
    const next = new AuditLog(files, '/order-audit.jsonl', clock);
    await passUntilDone(clock, next.open());
    expect(next.status).toMatchObject({ state: 'unavailable', error: 'no space left on device (ENOSPC)' });
    disk.makeSpace();
    await passUntilDone(clock, next.tick());
    expect(next.status.state).toBe('ok');
  });

  describe('whose file is moved or deleted', () => {
    const old = (): string => join(folder, 'rotated.jsonl');

    it('continues in a new file, with the next number, after it was moved (logrotate)', async () => {
      await log.append({ event: 'intent', ticket: 1 });
      await rename(path, old());
      await log.append({ event: 'intent', ticket: 2 });
      expect(await lines()).toMatchObject([{ sequence: 2, ticket: 2 }]);
      expect(await readFile(old(), 'utf8')).toContain('"ticket":1');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });

    it('continues the numbers and times of its rotated files at a restart, also when the wall clock is set back', async () => {
      const startedAtMs = clock.nowMs();
      for (const ticket of [1, 2, 3]) {
        await clock.advance(1_000);
        await log.append({ event: 'intent', ticket });
        await log.close();
        await rename(path, `${path}.${ticket}`);
        clock = new VirtualClock(startedAtMs - ticket * 86_400_000);
        log = new AuditLog(machineFiles, path, clock);
        await log.open();
      }
      await clock.advance(1_000);
      await log.append({ event: 'intent', ticket: 4 });
      expect(await lines()).toMatchObject([{ sequence: 4, timestamp: iso(startedAtMs + 1_000), running_ms: 4_000 }]);
      expect((await log.lastLines('wide')).map(({ ticket }) => ticket)).toEqual([4, 3, 2, 1]);
    });

    it('is read from its end, whatever its length: what is kept of it stays below the memory of the gateway', async () => {
      await log.append({ event: 'intent', ticket: 1, comment: 'x'.repeat(1_000) });
      const line = (await readFile(path, 'utf8')).trimEnd();
      const mebibyte = 1_024 * 1_024;
      await log.close();
      await appendFile(path, `${line}\n`.repeat(Math.ceil((66 * mebibyte) / line.length)));
      const read = async (reach: 'recent' | 'wide'): Promise<number> =>
        (await log.lastLines(reach)).length * line.length;
      expect(await read('recent')).toBeLessThanOrEqual(4 * mebibyte);
      expect(await read('wide')).toBeLessThanOrEqual(64 * mebibyte);
      expect(await read('wide')).toBeGreaterThan(60 * mebibyte);
    });

    it('names no line of a rotated file as missing while the folder cannot be listed', async () => {
      const files = Object.create(machineFiles) as { readdir: Files['readdir'] } & Omit<Files, 'readdir'>;
      await log.close();
      log = new AuditLog(files, path, clock);
      await log.open();
      await log.append({ event: 'intent' });
      await rename(path, `${path}.1`);
      files.readdir = () => Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
      await log.tick();
      expect(log.status).toMatchObject({ state: 'unavailable', missing: null });
      files.readdir = (folder) => machineFiles.readdir(folder);
      await log.tick();
      expect(log.status).toMatchObject({ state: 'ok', missing: null });
    });

    it('continues in a new file after its folder was deleted', async () => {
      await log.append({ event: 'intent' });
      await rm(join(folder, 'sub'), { recursive: true });
      await log.append({ event: 'broker_response' });
      expect(await lines()).toMatchObject([{ sequence: 2, event: 'broker_response' }]);
    });

    it('continues in the file that replaced it, after the lines there', async () => {
      await log.append({ event: 'intent' });
      await writeFile(old(), '{"timestamp":"2024-01-01T00:00:00.000Z","sequence":7,"event":"login"}\n');
      await rename(old(), path);
      await log.append({ event: 'intent' });
      expect((await lines()).map(({ sequence }) => sequence)).toEqual([7, 8]);
    });

    it('creates the new file within a second, even with nothing to write', async () => {
      await log.append({ event: 'intent' });
      await rename(path, old());
      await log.tick();
      expect(await text()).toBe('');
      expect(log.status.state).toBe('ok');
    });

    it('rejects lines while a directory is at its path, and accepts them again afterwards', async () => {
      await log.append({ event: 'intent' });
      await rm(path);
      await mkdir(path);
      await log.tick();
      expect(log.status).toMatchObject({ state: 'unavailable', error: expect.stringContaining('(EISDIR)') });
      await expect(log.append({ event: 'intent' })).rejects.toThrow('EISDIR');
      await rm(path, { recursive: true });
      await log.tick();
      expect(log.status.state).toBe('ok');
      await log.append({ event: 'intent' });
      expect(await lines()).toMatchObject([{ sequence: 2 }]);
    });
  });

  describe('that could not be written for a while', () => {
    const block = async (): Promise<void> => {
      await rm(path, { force: true });
      await mkdir(path);
    };
    const unblock = (): Promise<void> => rm(path, { recursive: true });

    it('first writes the kept events, each with the time of the event', async () => {
      await block();
      expect(await log.keep({ event: 'broker_response', ticket: 1 })).toBe(false);
      await clock.advance(5_000);
      await unblock();
      expect(await log.keep({ event: 'broker_response', ticket: 2 })).toBe(true);
      expect(await lines()).toMatchObject([
        { sequence: 1, ticket: 1, timestamp: '2024-01-01T00:00:00.000Z' },
        { sequence: 2, ticket: 2, timestamp: '2024-01-01T00:00:05.000Z' },
      ]);
    });

    it('writes kept events unprompted as soon as it can, and no event that it rejected', async () => {
      await block();
      await log.keep({ event: 'broker_response', ticket: 1 });
      await expect(log.append({ event: 'intent', ticket: 2 })).rejects.toThrow('EISDIR');
      await log.tick();
      expect(log.status.state).toBe('unavailable');
      await unblock();
      await log.tick();
      expect(log.status.state).toBe('ok');
      expect(await lines()).toMatchObject([{ sequence: 1, ticket: 1 }]);
    });
  });

  it('opens when nothing can be written, and ends a torn line with the first write that succeeds', async () => {
    await log.append({ event: 'intent', ticket: 1 });
    await log.close();
    await appendFile(path, '{"timestamp":"2024');
    // A disk that is full at the start: the path leads to one.
    await symlink('/dev/full', join(folder, 'full'));
    const full = new AuditLog(machineFiles, join(folder, 'full'), clock);
    await full.open();
    await full.close();
    log = new AuditLog(machineFiles, path, clock);
    await log.open();
    expect(await text()).toMatch(/"2024$/);
    await log.append({ event: 'intent', ticket: 2 });
    expect((await lines()).map(({ ticket }) => ticket)).toEqual([1, 2]);
  });
});
