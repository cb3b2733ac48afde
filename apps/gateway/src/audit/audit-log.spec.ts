import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { AuditLog } from './audit-log';
import { auditFields } from './audit-event';

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
    log = new AuditLog(path, clock);
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

  it('writes one numbered line an event, with every field', async () => {
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
    expect(Object.keys(first ?? {})).toEqual(['timestamp', 'sequence', 'event', ...auditFields]);
  });

  it('is readable by its owner alone', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the order of events that come at once', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, ticket) => log.append({ event: 'intent', ticket })));
    const written = await lines();
    expect(written.map(({ ticket }) => ticket)).toEqual(Array.from({ length: 500 }, (_, ticket) => ticket));
    expect(written.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  });

  it('goes on counting where an earlier process ended', async () => {
    await log.append({ event: 'login', login: 1 });
    await log.close();
    log = new AuditLog(path, clock);
    await log.append({ event: 'logout', login: 1 });
    expect((await lines()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('closes off a line that a crash cut short instead of gluing the next one to it', async () => {
    await log.append({ event: 'intent', ticket: 1 });
    await log.close();
    await appendFile(path, '{"timestamp":"2024-01-01T00:00');
    log = new AuditLog(path, clock);
    await log.open();
    await log.append({ event: 'intent', ticket: 2 });
    const [first, torn, next] = (await text()).split('\n');
    expect(first).toContain('"ticket":1');
    expect(torn).toBe('{"timestamp":"2024-01-01T00:00');
    expect(JSON.parse(next ?? '')).toMatchObject({ sequence: 2, ticket: 2 });
  });

  it('never goes back in time when the wall clock is set back', async () => {
    await log.append({ event: 'intent' });
    await log.close();
    log = new AuditLog(path, new VirtualClock(clock.nowMs() - 3_600_000));
    await log.append({ event: 'intent' });
    const [first, second] = await lines();
    expect(second?.timestamp).toBe(first?.timestamp);
  });

  it('says so when the disk takes no more, each time anew', async () => {
    const full = new AuditLog('/dev/full', clock);
    await expect(full.append({ event: 'intent' })).rejects.toThrow('ENOSPC');
    await expect(full.append({ event: 'intent' })).rejects.toThrow('ENOSPC');
    await full.close();
  });

  it('takes a line in the very turn in which the one before is on disk', async () => {
    for (let ticket = 1; ticket <= 3; ticket++) expect(await log.keep({ event: 'intent', ticket })).toBe(true);
    expect((await lines()).map(({ ticket }) => ticket)).toEqual([1, 2, 3]);
  });

  it('says where it stands', async () => {
    expect(log.status).toEqual({ state: 'ok', error: null });
    const full = new AuditLog('/dev/full', clock);
    await full.append({ event: 'intent' }).catch(() => undefined);
    expect(full.status).toEqual({ state: 'unavailable', error: 'no space left on device (ENOSPC)' });
    await full.close();
  });

  describe('of which the file is taken away', () => {
    const old = (): string => join(folder, 'rotated.jsonl');

    it('goes on in a new file, numbered on, when it was moved (logrotate)', async () => {
      await log.append({ event: 'intent', ticket: 1 });
      await rename(path, old());
      await log.append({ event: 'intent', ticket: 2 });
      expect(await lines()).toMatchObject([{ sequence: 2, ticket: 2 }]);
      expect(await readFile(old(), 'utf8')).toContain('"ticket":1');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });

    it('goes on in a new file when it was deleted, with its folder too', async () => {
      await log.append({ event: 'intent' });
      await rm(join(folder, 'sub'), { recursive: true });
      await log.append({ event: 'broker_response' });
      expect(await lines()).toMatchObject([{ sequence: 2, event: 'broker_response' }]);
    });

    it('goes on in the file that replaced it, after what is in there', async () => {
      await log.append({ event: 'intent' });
      await writeFile(old(), '{"timestamp":"2024-01-01T00:00:00.000Z","sequence":7,"event":"login"}\n');
      await rename(old(), path);
      await log.append({ event: 'intent' });
      expect((await lines()).map(({ sequence }) => sequence)).toEqual([7, 8]);
    });

    it('makes the new file within a second, without anything to write', async () => {
      await log.append({ event: 'intent' });
      await rename(path, old());
      await log.tick();
      expect(await text()).toBe('');
      expect(log.status.state).toBe('ok');
    });

    it('rejects lines while there is a directory in its place, and takes them again afterwards', async () => {
      await log.append({ event: 'intent' });
      await rm(path);
      await mkdir(path);
      await log.tick();
      expect(log.status).toEqual({ state: 'unavailable', error: expect.stringContaining('(EISDIR)') });
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

    it('writes what it was to keep, before anything else and with the time of the event', async () => {
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

    it('writes it by itself as soon as it can, and nothing that it rejected', async () => {
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

  it('opens where nothing can be written, and closes off a torn line with the first line it can write', async () => {
    await log.append({ event: 'intent', ticket: 1 });
    await log.close();
    await appendFile(path, '{"timestamp":"2024');
    // A disk that is full at the start: the path leads to one.
    await symlink('/dev/full', join(folder, 'full'));
    const full = new AuditLog(join(folder, 'full'), clock);
    await full.open();
    await full.close();
    log = new AuditLog(path, clock);
    await log.open();
    expect(await text()).toMatch(/"2024$/);
    await log.append({ event: 'intent', ticket: 2 });
    expect((await lines()).map(({ ticket }) => ticket)).toEqual([1, 2]);
  });
});
