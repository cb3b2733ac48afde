import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
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

  it('works in a folder that accepts no other files', async () => {
    disk.deny('/log', 'write');
    await ticks(6);
    expect(log.status.state).toBe('ok');
  });
});
