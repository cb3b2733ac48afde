import type { Ask } from '../asks';
import { auditedIntents, intentsWithoutOutcome } from '../invariants/audit-log';
import { closeMarker, isEntry, type SendRecord } from '../sends';
import type { JudgeWorld } from './world';

/** What a gateway can no longer remember, because its disks did not keep it. Each excuses it from an invariant. */
export class LostMemory {
  /** Intents whose outcome was lost: with a journal, or in a crash while the audit log could not be written. */
  readonly outcomes = new Set<unknown>();
  /** A lost journal has forgotten when the entries before this instant were sent. Virtual milliseconds. */
  rateForgottenAtMs = -Infinity;
  /** Exits that were sent while both disks may have refused their intents. */
  private readonly unwritten = new Set<SendRecord>();
  /** Those of them that no disk had taken when their run ended. */
  private readonly neverWritten = new Set<SendRecord>();

  constructor(private readonly world: JudgeWorld) {}

  sending(send: SendRecord): void {
    if (this.world.mayLoseExits() && !isEntry(send.request)) this.unwritten.add(send);
  }

  /** An answer says that a restart may forget its request: neither disk took its intents. */
  maybeUnwritten(ask: Ask): void {
    const { sends, book } = this.world;
    for (const send of sends) if (book.askedFor(send).includes(ask)) this.unwritten.add(send);
  }

  /** Whether no disk ever had the intent of an exit: not even a void can know of it. */
  wasNeverWritten(send: SendRecord): boolean {
    return this.neverWritten.has(send);
  }

  /** Whether an order is that of an exit which no disk has. */
  hasForgotten(ticket: number): boolean {
    const order = this.world.broker.orderAt(ticket);
    if (!order || order.position_id === 0) return false;
    const marker = closeMarker(order.position_id, order.comment);
    return this.world.sends.some((send) => send.isForgotten && send.marker === marker);
  }

  /** A run has ended, with what it had in memory alone. @param sends those of the run */
  runEnded(sends: readonly SendRecord[], auditLogs: readonly string[]): void {
    if (this.world.hasLostLines()) {
      // The next start finds these without an outcome in the journal, and writes their lines.
      const cutShort = new Set<unknown>(sends.filter(isCutShort).map(({ intentId }) => intentId));
      this.outcomesLost(intentsWithoutOutcome(auditLogs).filter((intent) => !cutShort.has(intent)));
    }
    const audited = auditedIntents(auditLogs);
    const isWritten = ({ intentId }: SendRecord): boolean =>
      this.world.journaled.has(intentId) || audited.has(intentId);
    const lost = [...this.unwritten].filter((send) => !isWritten(send));
    for (const send of lost) this.neverWritten.add(send);
    this.forget(lost);
  }

  /**
   * The journal is gone. The next start takes up what is on the audit log, which it reads as a whole: the log of a run is
   * shorter than 64 MiB and younger than 30 days.
   */
  journalLost(auditLogs: readonly string[]): void {
    this.outcomesLost(intentsWithoutOutcome(auditLogs));
    this.rateForgottenAtMs = this.world.time.elapsedMs;
    const audited = auditedIntents(auditLogs);
    this.forget(this.world.sends.filter(({ intentId }) => !audited.has(intentId)));
  }

  /** These may be sent once more under their keys. */
  private forget(sends: readonly SendRecord[]): void {
    for (const send of sends) {
      send.isForgotten = true;
      for (const ask of this.world.book.askedFor(send)) ask.isForgotten = true;
    }
  }

  private outcomesLost(intents: readonly unknown[]): void {
    for (const intent of intents) this.outcomes.add(intent);
  }
}

/** Its run ended before it had an answer, or gave up waiting for one. */
function isCutShort({ answeredAtMs }: SendRecord): boolean {
  return answeredAtMs === null;
}
