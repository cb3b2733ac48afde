import type { AuditEvent } from '../audit/audit-event';
import type { StampedEvent } from '../audit/audit-record';
import type { AuditTrail } from '../audit/audit-trail';
import type { Change } from '../trade-core/core-event';
import { addRecord, applyChange, endRecords, type Tables } from './journal-tables';
import type { JournalStore } from './journal.store';
import type { RunningTime } from './running-time';

export interface JournalLog {
  error(facts: object, message: string): void;
}

/** Writes the journal: each change together with the running time and the records of its events. */
export class JournalWriter {
  private audit: AuditTrail | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly running: RunningTime,
  ) {}

  /**
   * A change, together with the current running time and the records of its events: either all of it is on disk, or nothing.
   * @throws when it is not on disk
   */
  async write(change: (tables: Tables) => void, ...events: readonly StampedEvent[]): Promise<void> {
    await this.store.write((tables) => {
      change(tables);
      const { counters } = tables.keys;
      void counters.put('running_ms', this.running.nowMs());
      if (!this.audit) return;
      // A log that lacks its end is noticed.
      void counters.put('audit_sequence', this.audit.lastSequence);
      endRecords(tables, this.audit.flushedRecord, this.store.records.epoch);
      for (const event of events) addRecord(tables, event);
    });
  }

  /** What the core decided, with its events. @throws when it is not on disk */
  async apply(changes: readonly Change[], events: readonly StampedEvent[]): Promise<void> {
    await this.write(
      (tables) => {
        for (const change of changes) applyChange(tables, change);
      },
      ...events,
    );
  }

  /** From now on, each event is recorded, and its record becomes a line of the audit log. */
  auditIn(trail: AuditTrail): void {
    this.audit = trail;
  }

  /** Events as they are recorded; none without an audit log. */
  stamped(events: readonly AuditEvent[]): readonly StampedEvent[] {
    const { audit } = this;
    return audit ? events.map((event) => audit.stamped(event)) : [];
  }

  /** Records an event that changes nothing. */
  async noted(event: AuditEvent | null): Promise<void> {
    if (event) await this.audit?.note(event);
  }

  /** Writes the lines of recorded events, without a flush. */
  async linesWritten(events: readonly StampedEvent[]): Promise<void> {
    if (events.length > 0) await this.audit?.written();
  }

  /** Writes events that the journal could not take to the audit log itself. @returns whether they are on disk there */
  async keptInLog(events: readonly StampedEvent[]): Promise<boolean> {
    const { audit } = this;
    const kept = audit === null ? [] : await Promise.all(events.map((event) => audit.keep(event)));
    return kept.length > 0 && kept.every(Boolean);
  }
}
