import type { AuditRecord, AuditRecords } from '../audit/audit-record';
import type { Tables } from './journal-tables';

/**
 * The records of a journal, each of which becomes a line of the audit log. A journal that was restored lacks records that have
 * lines. Its own then belong to another series: no two lines name the same record.
 */
export class AuditedRecords implements AuditRecords {
  /** Numbers the series of the journal, from 0. */
  epoch: number;
  /** The last record of the processes before this one. */
  private readonly lastBefore: number;

  constructor(
    private readonly tables: () => Tables,
    readonly journalId: string,
  ) {
    this.epoch = tables().keys.counters.get('record_epoch') ?? 0;
    this.lastBefore = this.last;
  }

  get series(): string {
    return this.epoch === 0 ? this.journalId : `${this.journalId}.${this.epoch}`;
  }

  get last(): number {
    return this.tables().keys.counters.get('record') ?? 0;
  }

  get flushed(): number {
    return this.tables().keys.counters.get('flushed_record') ?? 0;
  }

  placeOf(record: string): number {
    const { epoch, number } = partsOf(record);
    if (epoch < this.epoch) return 0;
    if (epoch === this.epoch && number <= this.lastBefore) return number;
    this.epoch = epoch + 1;
    return this.lastBefore;
  }

  /** Whether an audit line is that of a record of this journal. */
  has(record: string | null): boolean {
    if (record === null) return false;
    const { journalId, epoch, number } = partsOf(record);
    return journalId === this.journalId && epoch === this.epoch && number <= this.last;
  }

  after(number: number): AuditRecord[] {
    return [...this.tables().records.getRange({ start: number + 1 })].map(({ key, value }) => ({
      ...value,
      number: key,
    }));
  }
}

function partsOf(record: string): { readonly journalId: string; readonly epoch: number; readonly number: number } {
  const [series = '', number = ''] = record.split('/');
  const [journalId = '', epoch = '0'] = series.split('.');
  return { journalId, epoch: Number(epoch), number: Number(number) };
}
