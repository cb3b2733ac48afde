import type { IntentRecord } from '../state/records';
import { ticketKey } from './ticket-key';

/** One strategy's requests whose outcome is not certain, or that will be tried again. */
export class RequestsOnTheWay {
  private readonly byKey = new Map<string, IntentRecord>();
  /** Those of them whose outcome is certain. */
  private readonly waiting = new Set<string>();
  /** Why the outcome of others cannot be found out as it is. */
  private readonly stuck = new Map<string, string>();
  /** The intent that last wanted something of a ticket, by ticket and kind of request: an older one gives way to it. */
  private readonly latest = new Map<string, string>();

  get all(): readonly IntentRecord[] {
    return [...this.byKey.values()];
  }

  get count(): number {
    return this.byKey.size;
  }

  /** Those whose outcome is being found out: it is worth to wait for them. */
  get unknown(): number {
    return this.all.filter(({ key }) => !this.waiting.has(key) && !this.stuck.has(key)).length;
  }

  get brokers(): readonly string[] {
    return [...new Set(this.all.map(({ broker }) => broker))];
  }

  /** What somebody has to see to before the outcome of a request can be found out; null when nothing. */
  get problem(): string | null {
    const [reason] = this.stuck.values();
    return reason ?? null;
  }

  /** A request is sent, or was and is taken up: what it wants of a ticket counts from now on. */
  add(record: IntentRecord): void {
    this.byKey.set(record.key, record);
    if (!record.isEntry) this.latest.set(purposeOf(record), record.intentId);
  }

  /** Nothing of a request is open any more. */
  end(record: IntentRecord): void {
    this.drop(record);
    if (this.isLatest(record)) this.latest.delete(purposeOf(record));
  }

  /** A request gives way to another try of the same intent, or was never sent. */
  drop({ key }: IntentRecord): void {
    this.byKey.delete(key);
    this.waiting.delete(key);
    this.stuck.delete(key);
  }

  /** Whether nothing newer is wanted of the ticket. */
  isLatest(record: IntentRecord): boolean {
    return this.latest.get(purposeOf(record)) === record.intentId;
  }

  /** A request came to nothing, and the same will be tried again under the key of the next. */
  waits(record: IntentRecord, next: IntentRecord): void {
    this.drop(record);
    this.byKey.set(next.key, next);
    this.waiting.add(next.key);
  }

  waitsNoMore({ key }: IntentRecord): void {
    this.waiting.delete(key);
  }

  /** A request whose outcome cannot be found out as things are. @throws Error when it is not one of those */
  stuckOne(key: string): IntentRecord {
    const record = this.byKey.get(key);
    if (!record) throw new Error(`no request ${key} of it is open`);
    if (!this.stuck.has(key)) throw new Error(`what became of request ${key} is still being found out`);
    return record;
  }

  /** The outcome cannot be found out as things are: the request stays, and somebody has to see to it. */
  getsStuck({ key }: IntentRecord, reason: string): void {
    if (this.byKey.has(key)) this.stuck.set(key, reason);
  }
}

/** What a request wants of which ticket, as a key. */
export function purposeOf({ broker, ticket, call }: IntentRecord): string {
  return `${ticketKey(broker, ticket ?? 0)} ${call.path}`;
}
