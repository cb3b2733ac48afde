import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { auditLine } from './audit-event';
import { AuditLog } from './audit-log';

describe('the audit log on a disk of its own', () => {
  let clock: VirtualClock;
  let disk: SimulatedDisk;
  let log: AuditLog;
  beforeEach(async () => {
    clock = new VirtualClock();
    disk = new SimulatedDisk(clock, () => 0.5);
    log = new AuditLog(disk.view.files, '/log/audit.jsonl', clock);
    await stepped(log.open());
  });
  afterEach(() => stepped(log.close()));

  const stepped = async (work: Promise<unknown>): Promise<void> => {
    let isOver = false;
    const watched = work.finally(() => (isOver = true));
    while (!isOver) await clock.advance(5);
    await watched;
  };
  const steppedResult = async <R>(work: Promise<R>): Promise<R> => {
    await stepped(work);
    return work;
  };
  const ticks = async (count: number): Promise<void> => {
    for (let tick = 0; tick < count; tick++) await stepped(log.tick());
  };

  /** The tickets of the whole lines; the next line follows on an empty file. */
  const ticketsAndEmpty = async (): Promise<unknown[]> => {
    const written = (disk.text('/log/audit.jsonl') ?? '').split('\n').filter((line) => line.endsWith('}'));
    await stepped(log.close());
    disk.remove('/log/audit.jsonl');
    log = new AuditLog(disk.view.files, '/log/audit.jsonl', clock);
    return written.map((line) => (JSON.parse(line) as { readonly ticket: unknown }).ticket);
  };

  it('notices that it is full before it rejects a line, and notices when space is free again', async () => {
    disk.fill();
    await ticks(3);
    expect(log.status).toMatchObject({ state: 'unavailable', error: 'no space left on device (ENOSPC)' });
    await ticks(1);
    expect(log.status.state).toBe('unavailable');
    disk.makeSpace();
    await ticks(1);
    expect(log.status.state).toBe('ok');
    expect(disk.list('/log')).not.toContain('/log/audit.jsonl.probe');
  });

  it('keeps each acknowledged line through a loss of power', async () => {
    await stepped(log.append({ event: 'intent', ticket: 1 }));
    await stepped(log.append({ event: 'broker_response', ticket: 1 }));
    disk.crash('power');
    // The log from before the crash would wait for its disk forever.
    log = new AuditLog(disk.view.files, '/log/audit.jsonl', clock);
    expect(disk.text('/log/audit.jsonl')?.match(/"event":"\w+"/g)).toEqual([
      '"event":"intent"',
      '"event":"broker_response"',
    ]);
  });

  it('writes each kept event once, in order, however much of it a full disk takes at each try', async () => {
    const steps = fc.array(fc.record({ freeBytes: fc.nat(6_000), events: fc.integer({ min: 1, max: 3 }) }));
    await fc.assert(
      fc.asyncProperty(steps, async (tries) => {
        let ticket = 0;
        for (const { freeBytes, events } of tries) {
          disk.fill(freeBytes);
          const kept = Array.from({ length: events }, () => log.keep({ event: 'intent', ticket: ++ticket }));
          await stepped(Promise.all(kept));
        }
        disk.makeSpace();
        await ticks(1);
        expect(await ticketsAndEmpty()).toEqual(Array.from({ length: ticket }, (_, index) => index + 1));
      }),
    );
  });

  describe('compared with the number of the last line that the journal has', () => {
    const reopened = async (): Promise<void> => {
      log = new AuditLog(disk.view.files, '/log/audit.jsonl', clock);
      await stepped(log.open());
    };

    it.each<[string, () => Promise<void>]>([
      [
        'a process that was killed during its write',
        async () => {
          const file = await steppedResult(disk.view.files.open('/log/audit.jsonl', 'a'));
          await stepped(file.appendFile(`${auditLine('2026-01-05T00:00:00.000Z', 2, { event: 'logout' }, 0)}\n`));
          disk.crash('process');
          await reopened();
        },
      ],
      [
        'a write with a failed flush',
        async () => {
          disk.setFailingSyncs(true);
          await stepped(log.keep({ event: 'broker_response', ticket: 1 }));
          await ticks(1);
        },
      ],
    ])('counts no line that a loss of power can take: %s', async (_case, written) => {
      await stepped(log.append({ event: 'intent', ticket: 1 }));
      await written();
      // What the journal would store now.
      const { lastSequence } = log;
      disk.setFailingSyncs(false);
      disk.crash('power');
      await reopened();
      log.expect(lastSequence);
      expect(log.status.missing).toBeNull();
      const { problems } = await steppedResult(log.verify(() => () => false));
      expect(problems).not.toEqual(expect.arrayContaining([expect.stringContaining('was written')]));
    });

    it('names no line of a log that could not be opened yet, and keeps the number until it is', async () => {
      await stepped(log.append({ event: 'intent', ticket: 1 }));
      await stepped(log.append({ event: 'broker_response', ticket: 1 }));
      await stepped(log.close());
      disk.setReadOnly(true);
      await reopened();
      log.expect(2);
      expect([log.status, log.lastSequence]).toMatchObject([{ state: 'unavailable', missing: null }, 2]);
      disk.setReadOnly(false);
      await ticks(1);
      expect([log.status, log.lastSequence]).toMatchObject([{ state: 'ok', missing: null }, 2]);
    });

    it('names the lines that it lacks as soon as it can be opened', async () => {
      await stepped(log.append({ event: 'intent', ticket: 1 }));
      await stepped(log.close());
      disk.setReadOnly(true);
      await reopened();
      log.expect(3);
      disk.setReadOnly(false);
      await ticks(1);
      expect(log.status.missing).toMatch(/^lines 2 to 3 were written/);
    });
  });

  it.each([
    ['in its file', false],
    ['in the rotated file', true],
  ])('keeps an event after a failed flush, once and %s, through a loss of power', async (_, isRotated) => {
    await stepped(log.keep({ event: 'intent', ticket: 1 }));
    disk.setFailingSyncs(true);
    await stepped(log.keep({ event: 'broker_response', ticket: 2 }));
    await ticks(2);
    expect(log.status).toMatchObject({ state: 'unavailable', error: 'i/o error (EIO)' });
    if (isRotated) disk.move('/log/audit.jsonl', '/log/audit.jsonl.1');
    await ticks(2);
    disk.setFailingSyncs(false);
    await ticks(1);
    expect(log.status.state).toBe('ok');
    disk.crash('power');
    log = new AuditLog(disk.view.files, '/log/audit.jsonl', clock);
    await stepped(log.open());
    await stepped(log.keep({ event: 'recovered', ticket: 3 }));
    const text = `${disk.text('/log/audit.jsonl.1') ?? ''}${disk.text('/log/audit.jsonl') ?? ''}`;
    const lines = text.trim().split('\n');
    const kept = lines.map((line) => JSON.parse(line) as { readonly sequence: number; readonly ticket: number });
    expect(kept.map(({ sequence, ticket }) => [sequence, ticket])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('works in a folder that accepts no other files', async () => {
    disk.deny('/log', 'write');
    await ticks(6);
    expect(log.status.state).toBe('ok');
  });
});
