import type { Clock } from '@libs/clock';
import type { IntentRecord, TicketClaim, TradePurpose } from './journal-records';
import type { JournalStore, JournalTables } from './journal.store';
import type { TradeAttempt } from './trade-attempt';
import { isOpen } from './trade-request-status';

export interface JournalLog {
  error(facts: object, message: string): void;
}

/** Intents and tickets outlive their keys, for /reconcile, which looks back 31 days, and for `client_order_id` of rows. */
const intentRetentionMs = 35 * 86_400_000;
const ticketRetentionMs = 100 * 86_400_000;
const sweepLimit = 500;

/**
 * Brings to disk what the journal knows. What was sent is sent: once it is, a failing disk is logged and the truth stays
 * in memory (`dirty`) until it can be written.
 */
export class JournalWriter {
  /** Claims that are being written. */
  private readonly freshClaims = new Map<number, TicketClaim>();

  constructor(
    private readonly store: JournalStore,
    private readonly clock: Clock,
    private readonly ttlMs: number,
    private readonly log: JournalLog,
  ) {}

  /** Before a send. @throws when it is not on disk */
  async intent(attempt: TradeAttempt, intent: IntentRecord): Promise<void> {
    await this.store.write((tables) => {
      tables.putRequest(attempt.record);
      tables.markOpen(attempt.key);
      tables.putIntent(intent);
    });
  }

  /** After a send; the order ticket it made is claimed at once, in memory first. */
  async settled(attempt: TradeAttempt, intent: IntentRecord): Promise<void> {
    const nowMs = this.clock.nowMs();
    const ticket = claimedTicket(intent);
    const claim = { intentId: intent.id, clientOrderId: attempt.clientOrderId };
    if (ticket !== null) this.freshClaims.set(ticket, claim);
    await this.persist(attempt, (tables) => {
      tables.putIntent(intent);
      tables.expireAt(nowMs + intentRetentionMs, 'intent', intent.id);
      if (ticket === null) return;
      tables.putClaim(ticket, claim);
      tables.expireAt(nowMs + ticketRetentionMs, 'ticket', String(ticket));
    });
    if (ticket !== null && !attempt.dirty) this.freshClaims.delete(ticket);
  }

  /** The request and all its intents, as they are now. */
  async concluded(attempt: TradeAttempt): Promise<void> {
    const wasDirty = attempt.dirty;
    attempt.dirty = false;
    const nowMs = this.clock.nowMs();
    await this.persist(attempt, (tables) => {
      tables.putRequest(attempt.record);
      for (const intent of attempt.intents.values()) {
        tables.putIntent(intent);
        const ticket = wasDirty ? claimedTicket(intent) : null;
        if (ticket !== null) tables.putClaim(ticket, { intentId: intent.id, clientOrderId: attempt.clientOrderId });
      }
      if (isOpen(attempt.record.status)) return;
      tables.clearOpen(attempt.key);
      tables.expireAt(nowMs + this.ttlMs, 'request', attempt.key);
    });
  }

  /** Forgets a request that did nothing; its intents stay, for the record. */
  async released(attempt: TradeAttempt): Promise<void> {
    await this.persist(attempt, (tables) => {
      tables.removeRequest(attempt.key);
      tables.clearOpen(attempt.key);
    });
  }

  /** Forgets what has expired, a portion at a time; `isForgotten` tells whether a key was not used anew. */
  async forgetExpired(isForgotten: (key: string) => boolean): Promise<void> {
    const expired = this.store.expiredBefore(this.clock.nowMs(), sweepLimit);
    if (expired.length === 0) return;
    const requests = new Set(
      expired.filter(({ kind, id }) => kind === 'request' && isForgotten(id)).map(({ id }) => id),
    );
    await this.store.write((tables) => {
      for (const expiry of expired) {
        tables.dropExpiry(expiry);
        if (expiry.kind === 'ticket') tables.removeClaim(Number(expiry.id));
        else if (expiry.kind === 'intent') tables.removeIntent(expiry.id);
        else if (requests.has(expiry.id)) tables.removeRequest(expiry.id);
      }
    });
  }

  /** Which intent an order ticket belongs to. */
  claim(ticket: number): TicketClaim | undefined {
    return this.freshClaims.get(ticket) ?? this.store.claim(ticket);
  }

  private async persist(attempt: TradeAttempt, change: (tables: JournalTables) => void): Promise<void> {
    try {
      await this.store.write(change);
    } catch (error) {
      attempt.dirty = true;
      this.log.error({ err: error, key: attempt.key }, 'the trade journal cannot be written; kept in memory');
    }
  }
}

/** Whether a send makes an order of its own; a modification or cancellation names somebody else's. */
export function makesOrder(purpose: TradePurpose): boolean {
  return purpose !== 'cancel' && purpose !== 'modify_levels' && purpose !== 'modify_order';
}

function claimedTicket({ purpose, outcome }: IntentRecord): number | null {
  return makesOrder(purpose) && outcome.kind === 'done' && outcome.result.order > 0 ? outcome.result.order : null;
}
