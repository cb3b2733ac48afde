import { wasAlreadySo } from '@libs/order-drafts';
import { isOpenStatus } from '@libs/request-life';
import type { AuditEvent } from '../audit/audit-event';
import type { StampedEvent } from '../audit/audit-record';
import type { AuditTrail } from '../audit/audit-trail';
import type { StoredFence } from '../fences/fence';
import type { IntentRecord, TicketClaim, TradePurpose } from './journal-records';
import type { JournalTables } from './journal-tables';
import type { JournalStore } from './journal.store';
import { rememberedOf } from './remembered-key';
import { retentionMs } from './retention-times';
import type { RunningTime } from './running-time';
import type { TradeAttempt } from './trade-attempt';

interface TicketAndClaim {
  readonly ticket: number;
  readonly claim: TicketClaim;
}

export interface JournalLog {
  error(facts: object, message: string): void;
}

/**
 * Writes the journal. After a send, a failed write is logged and the record stays in memory (`dirty`) until it can be
 * written, because the send cannot be undone.
 */
export class JournalWriter {
  /** Claims that are being written. */
  private readonly freshClaims = new Map<number, TicketClaim>();
  /** Tickets of claims that a crash could still undo. */
  private readonly unshown = new Set<number>();
  /** Claims from the audit log, the only record of a lost journal's claims. */
  private auditedClaims: ReadonlyMap<number, TicketClaim> = new Map();
  private claimChanges = 0;
  private audit: AuditTrail | null = null;

  constructor(
    private readonly store: JournalStore,
    private readonly running: RunningTime,
    private readonly responseTtlMs: number,
    private readonly log: JournalLog,
  ) {}

  /**
   * A change, together with the current running time and the records of its events: either all of it is on disk, or nothing.
   * @throws when it is not on disk
   */
  async write(change: (tables: JournalTables) => void, ...events: readonly StampedEvent[]): Promise<void> {
    await this.store.write((tables) => {
      change(tables);
      tables.keys.putRunningMs(this.running.nowMs());
      if (!this.audit) return;
      // A log that lacks its end is noticed.
      tables.keys.putAuditSequence(this.audit.lastSequence);
      tables.endRecords(this.audit.flushedRecord, this.store.records.epoch);
      for (const event of events) tables.addRecord(event);
    });
  }

  /** From now on, each event is recorded, and its record becomes a line of the audit log. */
  auditIn(trail: AuditTrail): void {
    this.audit = trail;
  }

  /** An event as it is recorded; none without an audit log. */
  stamped(event: AuditEvent | null): readonly StampedEvent[] {
    return event && this.audit ? [this.audit.stamped(event)] : [];
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

  /** Changes fences, with the event that changes them. @throws when it is not on disk */
  async fences(fences: ReadonlyMap<string, StoredFence>, event: AuditEvent | null): Promise<void> {
    await this.write(
      (tables) => {
        for (const [name, fence] of fences) tables.putFence(name, fence);
      },
      ...this.stamped(event),
    );
  }

  /** Before a send. @throws when it is not on disk */
  async intent(attempt: TradeAttempt, intent: IntentRecord, events: readonly StampedEvent[]): Promise<void> {
    await this.write(
      (tables) => {
        tables.putRequest(attempt.record);
        tables.markOpen(attempt.key);
        tables.putIntent(intent);
      },
      ...events,
    );
  }

  /** Writes an outcome after a send with its event; claims the order's ticket at once, first in memory. */
  async settled(attempt: TradeAttempt, intent: IntentRecord, event: AuditEvent | null): Promise<void> {
    const claimed = this.claimBy(attempt, intent);
    const ticket = claimed?.ticket ?? null;
    if (claimed) {
      if (!this.claim(claimed.ticket)) this.unshown.add(claimed.ticket);
      this.freshClaims.set(claimed.ticket, claimed.claim);
      this.claimsChanged();
    }
    const wasDirty = attempt.dirty;
    const change = (tables: JournalTables): void => {
      // With an outcome and without its request, the key would be free after a crash.
      if (wasDirty || attempt.dirty) this.putWhole(attempt, tables);
      else this.putSettled(attempt, intent, tables);
    };
    const isWritten = await this.persist(attempt, change, this.stamped(event));
    if (ticket === null) return;
    if (isWritten) this.freshClaims.delete(ticket);
    this.unshown.delete(ticket);
    this.claimsChanged();
  }

  /** Writes the request and all its intents in their current state, with events. */
  async concluded(attempt: TradeAttempt, ...events: readonly AuditEvent[]): Promise<void> {
    const wasDirty = attempt.dirty;
    attempt.dirty = false;
    const { record } = attempt;
    const intents = wasDirty ? [...attempt.intents.values()] : [];
    const claimed = intents.flatMap((intent) => this.claimBy(attempt, intent) ?? []);
    if (claimed.length > 0) this.claimsChanged();
    for (const { ticket, claim } of claimed) this.freshClaims.set(ticket, claim);
    const change = (tables: JournalTables): void => {
      tables.putRequest(record);
      for (const intent of attempt.intents.values()) {
        // The write of the outcome before this one may have failed, which is not known yet.
        if (wasDirty || this.lacksClaim(attempt, intent, tables)) this.putSettled(attempt, intent, tables);
        else tables.putIntent(intent);
      }
      if (isOpenStatus(record.status)) return tables.markOpen(attempt.key);
      const endedMs = record.settledAtRunningMs ?? this.running.nowMs();
      tables.clearOpen(attempt.key);
      tables.keys.keepUntil(endedMs + this.responseTtlMs, 'request', attempt.key);
      // No client can name a key that the gateway generated.
      if (record.clientOrderId === null) return;
      tables.keys.remember(attempt.key, rememberedOf(record, [...attempt.intents.values()], endedMs));
    };
    await this.persist(
      attempt,
      change,
      events.flatMap((event) => this.stamped(event)),
    );
    if (!attempt.dirty) for (const { ticket } of claimed) this.freshClaims.delete(ticket);
  }

  /** Removes a request that did nothing; its intents stay on record. */
  async released(attempt: TradeAttempt): Promise<void> {
    await this.persist(attempt, (tables) => {
      tables.removeRequest(attempt.key);
      tables.clearOpen(attempt.key);
    });
  }

  /** The intent that an order ticket belongs to, also while that is being written. */
  claim(ticket: number): TicketClaim | undefined {
    return this.freshClaims.get(ticket) ?? this.store.claim(ticket) ?? this.auditedClaims.get(ticket);
  }

  /** As {@link claim}, once it is on record, or kept in memory because the disk fails. */
  shownClaim(ticket: number): TicketClaim | undefined {
    return this.unshown.has(ticket) ? undefined : this.claim(ticket);
  }

  /** Grows with every change of the claims. */
  get claimsRevision(): number {
    return this.claimChanges;
  }

  /** Called after claims were removed. */
  claimsChanged(): void {
    this.claimChanges++;
  }

  /** Adds the claims from the audit log. */
  takeUp(claims: ReadonlyMap<number, TicketClaim>): void {
    this.auditedClaims = claims;
    this.claimsChanged();
  }

  /** A request and its intents, of which a failing disk has taken none or some. */
  private putWhole(attempt: TradeAttempt, tables: JournalTables): void {
    tables.putRequest(attempt.record);
    if (isOpenStatus(attempt.record.status)) tables.markOpen(attempt.key);
    for (const intent of attempt.intents.values()) {
      if (intent.outcome.kind === 'pending') tables.putIntent(intent);
      else this.putSettled(attempt, intent, tables);
    }
  }

  private putSettled(attempt: TradeAttempt, intent: IntentRecord, tables: JournalTables): void {
    const nowMs = this.running.nowMs();
    tables.putIntent(intent);
    tables.keys.removeEvidence(intent.id);
    tables.keys.keepUntil(nowMs + retentionMs.intent, 'intent', intent.id);
    const claimed = this.claimBy(attempt, intent);
    if (!claimed) return;
    tables.putClaim(claimed.ticket, claimed.claim);
    tables.keys.keepUntil(nowMs + retentionMs.key, 'ticket', String(claimed.ticket));
  }

  /**
   * The order that belongs to a send: the one that it made, or the one by which the broker replaced the order that it changed. That one
   * belongs to the key of the first one, unless that is not known or the order has another request already.
   */
  private claimBy({ clientOrderId }: TradeAttempt, intent: IntentRecord): TicketAndClaim | null {
    const { id: intentId, request } = intent;
    const made = claimedTicket(intent);
    if (made !== null) return { ticket: made, claim: { intentId, clientOrderId, magic: request.magic } };
    const ticket = successorOf(intent);
    const before = ticket === null ? undefined : this.claim(request.order);
    if (ticket === null || !before || (this.claim(ticket) ?? { intentId }).intentId !== intentId) return null;
    const magic = before.magic ?? this.store.intent(before.intentId)?.request.magic ?? request.magic;
    return { ticket, claim: { intentId, clientOrderId: before.clientOrderId, magic } };
  }

  private lacksClaim(attempt: TradeAttempt, intent: IntentRecord, tables: JournalTables): boolean {
    const claimed = this.claimBy(attempt, intent);
    return claimed !== null && !tables.hasClaim(claimed.ticket);
  }

  /** @returns whether the change is on disk */
  private async persist(
    attempt: TradeAttempt,
    change: (tables: JournalTables) => void,
    events: readonly StampedEvent[] = [],
  ): Promise<boolean> {
    try {
      await this.write(change, ...events);
    } catch (error) {
      attempt.dirty = true;
      this.log.error({ err: error, key: attempt.key }, 'the trade journal cannot be written; kept in memory');
      await this.keptInLog(events);
      return false;
    }
    await this.linesWritten(events);
    return true;
  }
}

/** Whether a send makes an order of its own; a modification or cancellation names an existing one. */
export function makesOrder(purpose: TradePurpose): boolean {
  return purpose !== 'cancel' && purpose !== 'modify_levels' && purpose !== 'modify_order';
}

/** The order that a send made, if known; null if it made none. */
export function claimedTicket({ purpose, outcome }: IntentRecord): number | null {
  return makesOrder(purpose) && outcome.kind === 'done' && outcome.result.order > 0 ? outcome.result.order : null;
}

/** The order by which the broker replaced a pending order that was changed; null if it kept it, or names none. */
export function successorOf({ purpose, outcome, request }: IntentRecord): number | null {
  if (purpose !== 'modify_order' || outcome.kind !== 'done') return null;
  const { order } = outcome.result;
  return order > 0 && order !== request.order ? order : null;
}

/** Whether the broker acknowledged a send that makes an order without naming it. */
export function lacksTicket({ purpose, outcome }: Pick<IntentRecord, 'purpose' | 'outcome'>): boolean {
  if (!makesOrder(purpose) || outcome.kind !== 'done' || outcome.result.order !== 0) return false;
  return !wasAlreadySo(purpose, outcome.result.retcode);
}
