import { mayForget } from '../asks';
import { intentsWithoutOutcome } from '../invariants/audit-log';
import { isEntry, type SendRecord } from '../sends';
import type { JudgeWorld } from './world';

/** What a gateway can no longer remember, because its disks did not keep it. Each excuses it from an invariant. */
export class LostMemory {
  /** Intents whose outcome was lost: with a journal, or in a crash while the audit log could not be written. */
  readonly outcomes = new Set<unknown>();
  /** A lost journal has forgotten when the entries before this instant were sent. Virtual milliseconds. */
  rateForgottenAtMs = -Infinity;
  /** Exits that were sent while both disks may have refused their intents. */
  private readonly maybeUnwritten = new Set<SendRecord>();

  constructor(private readonly world: JudgeWorld) {}

  sending(send: SendRecord): void {
    if (this.world.mayLoseExits() && !isEntry(send.request)) this.maybeUnwritten.add(send);
  }

  /** A run has ended, with what it had in memory alone. */
  runEnded(sends: readonly SendRecord[], auditLogs: readonly string[]): void {
    if (this.world.hasLostLines()) this.outcomesLost(auditLogs);
    this.forgetUnwritten(sends, auditLogs);
  }

  /** The journal is gone: closes pass, and may be made a second time under a key that it has forgotten. */
  journalLost(auditLogs: readonly string[]): void {
    this.outcomesLost(auditLogs);
    this.rateForgottenAtMs = this.world.time.elapsedMs;
    this.world.book.forget(({ kind }) => kind !== 'open' && kind !== 'pending');
  }

  /** An operator lets new risk pass as well. */
  journalAccepted(): void {
    this.world.book.forget(() => true);
  }

  /**
   * A run that sent an exit without an intent on either disk takes its memory with it: the key may be sent again. The answer
   * says so (`remembered: false`), but it may never have left.
   */
  private forgetUnwritten(sends: readonly SendRecord[], auditLogs: readonly string[]): void {
    const { journaled, book } = this.world;
    for (const send of sends.filter((one) => this.maybeUnwritten.has(one))) {
      const isWritten = journaled.has(send.intentId) || auditLogs.some((text) => text.includes(`"${send.intentId}"`));
      if (!isWritten) for (const ask of book.askedFor(send)) mayForget(ask);
    }
  }

  private outcomesLost(auditLogs: readonly string[]): void {
    for (const intent of intentsWithoutOutcome(auditLogs)) this.outcomes.add(intent);
  }
}
