import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
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
});
