import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { effort } from '../../../../test/setup/effort';
import { AuditLog } from '../audit/audit-log';
import { AuditTrail } from '../audit/audit-trail';
import { JournalStore } from './journal.store';
import { TradeJournal } from './trade-journal';

const path = '/log/audit.jsonl';
const quiet = { error: () => undefined };

interface Line {
  readonly ticket: number | null;
  readonly sequence: number;
  readonly record: string | null;
}

interface Program {
  readonly log: AuditLog;
  readonly trail: AuditTrail;
  readonly journal: TradeJournal;
}

/** A journal and its audit log on a disk that fails, through crashes of the process and of the machine. */
class Audited {
  readonly clock = new VirtualClock();
  readonly disk: SimulatedDisk;
  /** How many events were noted; each has its number as a ticket. */
  noted = 0;
  /** Those that were on record when the call returned. */
  readonly acknowledged: number[] = [];
  private program: Program | null = null;
  private rotations = 0;
  /** Of the next journal that is made. */
  private journalId = 'journal';

  constructor(random: () => number) {
    this.disk = new SimulatedDisk(this.clock, random);
  }

  async open(): Promise<void> {
    const { files, stores } = this.disk.view;
    const newId = (): string => this.journalId;
    const log = new AuditLog(files, path, this.clock);
    const trail = new AuditTrail(log, quiet);
    await this.stepped(log.open());
    const store = new JournalStore(stores, '/state/trade-journal', newId);
    const journal = new TradeJournal(store, this.clock, 60_000, newId, quiet);
    log.expect(journal.auditIn(trail));
    trail.recordIn(journal);
    await this.stepped(trail.written());
    this.program = { log, trail, journal };
  }

  get missing(): string | null {
    return this.program?.log.status.missing ?? null;
  }

  /** How many records the journal has that are of no use any more, or lack their line. */
  get recordsLeft(): number {
    return this.program?.journal.auditRecords.after(0).length ?? 0;
  }

  /** Writes events that the journal does not take. */
  async keep(count: number): Promise<void> {
    const { trail } = this.program ?? {};
    for (let kept = 0; trail && kept < count; kept++) {
      await this.stepped(trail.keep(trail.stamped({ event: 'login', ticket: ++this.noted })));
    }
  }

  async restart(): Promise<void> {
    this.disk.crash('process');
    await this.open();
  }

  /** Starts the program again without its journal. */
  async loseJournal(): Promise<void> {
    this.disk.crash('process');
    this.disk.remove('/state/trade-journal');
    this.journalId = 'another';
    await this.open();
  }

  async copyJournal(): Promise<void> {
    await this.stepped(this.program?.journal.copyTo('/copy') ?? Promise.resolve());
  }

  /** Starts the program again on the copy of its journal. */
  async restoreJournal(): Promise<void> {
    this.disk.crash('process');
    this.disk.remove('/state/trade-journal');
    this.disk.move('/copy', '/state/trade-journal');
    await this.open();
  }

  /** Notes an event. @param crash how the program ends meanwhile, and when */
  async note(crash: { readonly kind: 'process' | 'power'; readonly afterMs: number } | null): Promise<void> {
    const ticket = ++this.noted;
    const noting = this.program?.trail.note({ event: 'login', ticket }) ?? Promise.resolve(false);
    const acknowledged = noting.then((isWritten) => isWritten && this.acknowledged.push(ticket));
    if (!crash) return void (await this.stepped(acknowledged));
    for (let ms = 0; ms < crash.afterMs; ms++) await this.clock.advance(1);
    this.disk.crash(crash.kind);
    await this.open();
  }

  async tick(): Promise<void> {
    await this.stepped(this.program?.log.tick() ?? Promise.resolve());
    // Its flush goes on meanwhile.
    for (let ms = 0; ms < 5; ms++) await this.clock.advance(1);
  }

  rotate(): void {
    if (this.disk.text(path) !== null) this.disk.move(path, `${path}.${++this.rotations}`);
  }

  /** The lines of all files of the log, the oldest first. */
  lines(): Line[] {
    const files = [...Array.from({ length: this.rotations }, (_, index) => `${path}.${index + 1}`), path];
    const texts = files.flatMap((file) => (this.disk.text(file) ?? '').split('\n'));
    return texts.filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line) as Line);
  }

  private async stepped<R>(work: Promise<R>): Promise<R> {
    let isOver = false;
    const watched = work.finally(() => (isOver = true));
    while (!isOver) await this.clock.advance(1);
    return watched;
  }
}

const crashes = fc.record({
  kind: fc.constantFrom('process' as const, 'power' as const),
  afterMs: fc.nat(6),
});
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ step: fc.constant('note' as const), crash: fc.option(crashes) }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('tick' as const) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('rotate' as const) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('keep' as const) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('restart' as const) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('fail' as const), fails: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('fill' as const), freeBytes: fc.option(fc.nat(3_000)) }) },
  ),
  { maxLength: 30 },
);

describe('the lines of what a journal has recorded', () => {
  it('are in the log once each and in order, through crashes, rotations, full disks and failed flushes', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 50, maxLength: 50 }),
        async (plan, random) => {
          let drawn = 0;
          const audited = new Audited(() => random[drawn++ % random.length] ?? 0);
          await audited.open();
          for (const one of plan) {
            if (one.step === 'note') await audited.note(one.crash);
            else if (one.step === 'tick') await audited.tick();
            else if (one.step === 'rotate') audited.rotate();
            else if (one.step === 'keep') await audited.keep(1);
            else if (one.step === 'restart') await audited.restart();
            else if (one.step === 'fail') audited.disk.setFailingSyncs(one.fails);
            else if (one.freeBytes === null) audited.disk.makeSpace();
            else audited.disk.fill(one.freeBytes);
          }
          audited.disk.setFailingSyncs(false);
          audited.disk.makeSpace();
          for (let tick = 0; tick < 4; tick++) await audited.tick();
          await audited.note(null);
          const lines = audited.lines();
          const tickets = lines.map(({ ticket }) => ticket);
          expect(new Set(tickets).size).toBe(tickets.length);
          expect(tickets).toEqual(expect.arrayContaining(audited.acknowledged));
          expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
          expect(audited.missing).toBeNull();
        },
      ),
      { numRuns: effort(100, 3_000) },
    );
  });

  describe('on a sound disk', () => {
    let audited: Audited;
    beforeEach(async () => {
      audited = new Audited(() => 0.5);
      await audited.open();
    });
    const records = () => audited.lines().map(({ record }) => record);

    it('end their records once they are on disk', async () => {
      for (let count = 0; count < 5; count++) await audited.note(null);
      expect(audited.recordsLeft).toBe(5);
      await audited.tick();
      // With the next change of the journal.
      await audited.note(null);
      expect(audited.recordsLeft).toBe(1);
    });

    it('are not written again after hundreds of lines that the journal did not take', async () => {
      await audited.note(null);
      await audited.keep(300);
      await audited.note({ kind: 'process', afterMs: 0 });
      expect(records().filter((record) => record === 'journal/1')).toHaveLength(1);
    });

    it('are not written again after two files of the log that have none of them, and a crash before the journal noted them', async () => {
      await audited.note(null);
      audited.rotate();
      await audited.keep(1);
      audited.rotate();
      await audited.keep(1);
      await audited.restart();
      await audited.note(null);
      expect(records().filter((record) => record !== null)).toEqual(['journal/1', 'journal/2']);
    });

    it('are not named twice after the journal was lost, another one used, and an earlier copy restored', async () => {
      await audited.note(null);
      await audited.copyJournal();
      await audited.note(null);
      await audited.tick();
      await audited.loseJournal();
      await audited.note(null);
      await audited.tick();
      await audited.restoreJournal();
      await audited.note(null);
      expect(records()).toEqual(['journal/1', 'journal/2', 'another/1', 'journal.1/2']);
    });

    it('belong to another series after the journal was restored from an earlier copy', async () => {
      await audited.note(null);
      await audited.copyJournal();
      await audited.note(null);
      await audited.tick();
      await audited.restoreJournal();
      await audited.note(null);
      expect(records()).toEqual(['journal/1', 'journal/2', 'journal.1/2']);
      await audited.note({ kind: 'process', afterMs: 20 });
      await audited.note(null);
      expect(records()).toEqual(['journal/1', 'journal/2', 'journal.1/2', 'journal.1/3', 'journal.1/4']);
    });
  });
});
