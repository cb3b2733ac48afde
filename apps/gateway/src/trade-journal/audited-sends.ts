import type { AuditLines } from '../audit/audit-lines';
import { auditedFences } from '../fences/audited-fences';
import type { WantedFence } from '../trade-core/fence';
import { intentOf, outcomeOf, recordOf, text, timeOf, type AuditedLine } from './audited-line';
import {
  requestIdOf,
  type IntentOutcome,
  type IntentRecord,
  type TicketClaim,
  type TradeRequestRecord,
} from '../trade-core/journal-records';
import { claimedTicket, successorOf } from '../trade-core/ticket-claims';
import { lineAges } from './line-ages';

/** A trade request whose sends are recorded only in the audit log. */
export interface AuditedRequest {
  readonly record: TradeRequestRecord;
  readonly intents: readonly IntentRecord[];
}

/** The journal keeps an intent for 35 days of running time; an older one may be missing because it expired. */
const intentAgeMs = 30 * 86_400_000;

/** The journal that is open now. */
export interface KnownSends {
  readonly id: string;
  readonly intent: (intentId: string) => IntentRecord | undefined;
  /** Whether an audit line is that of one of its records. */
  readonly hasRecord: (record: string | null) => boolean;
}

/** Sends and void keys in the last lines of the audit log. */
export interface AuditedSends {
  /**
   * The sends of the last 30 days of running time that are not in the journal: exits made while it could not be written, and sends of
   * another journal, which was lost. Sends that never left the gateway are excluded.
   */
  readonly requests: readonly AuditedRequest[];
  /** The send that made an order, by the order's ticket; of every journal, because claims are lost with a journal. */
  readonly claims: ReadonlyMap<number, TicketClaim>;
  /** The outcomes of sends by intent id; the journal lacks those that it could not write before a crash. */
  readonly outcomes: ReadonlyMap<string, IntentOutcome>;
  /**
   * Intents that have no outcome here, with their requests, the oldest first. The journal may have the outcome: a crash can
   * end the write of the line, which happens at the same time.
   */
  readonly open: ReadonlyMap<string, TradeRequestRecord>;
  /** Keys made void in the last 30 days, with the time in UTC milliseconds; voids are lost with a journal. */
  readonly voids: ReadonlyMap<string, number>;
  /** Fences by name; fences are lost with a journal. */
  readonly fences: ReadonlyMap<string, WantedFence>;
}

/** The result for a log without lines. */
export const nothingAudited: AuditedSends = {
  requests: [],
  claims: new Map(),
  outcomes: new Map(),
  open: new Map(),
  voids: new Map(),
  fences: new Map(),
};

/**
 * @param lines newest first
 * @param journal the current journal; lines without a journal id come from an unproven one
 */
export function auditedSends(lines: AuditLines, journal: KnownSends, nowMs: number): AuditedSends {
  const sends = new SendsOfLines(journal);
  const ages = lineAges(lines, nowMs);
  for (const [index, line] of lines.entries()) sends.read(line, (ages[index] ?? 0) < intentAgeMs);
  sends.takeAnswersWithoutIntent();
  return { ...sends.found, fences: auditedFences(lines.filter((line) => !isRecorded(line, journal))) };
}

/** Collects the sends of lines that are read newest first: an outcome comes before its intent. */
class SendsOfLines {
  private readonly outcomes = new Map<string, IntentOutcome>();
  private readonly requests = new Map<string, { record: TradeRequestRecord; intents: IntentRecord[] }>();
  private readonly claims = new Map<number, TicketClaim>();
  /** Changes of orders that the broker has replaced, the newest first. */
  private readonly replacing: IntentRecord[] = [];
  /** The newest first. */
  private readonly open = new Map<string, TradeRequestRecord>();
  private readonly voids = new Map<string, number>();
  /** Outcomes whose intent has no line so far. */
  private readonly answers = new Map<string, { readonly line: AuditedLine; readonly isRecent: boolean }>();

  constructor(private readonly journal: KnownSends) {}

  get found(): Omit<AuditedSends, 'fences'> {
    const { outcomes, voids } = this;
    const claims = this.claimsWithSuccessors();
    const [requests, open] = [[...this.requests.values()].reverse(), new Map([...this.open].reverse())];
    return { requests, claims, outcomes, open, voids };
  }

  /** @param isRecent whether the journal keeps an intent of this age */
  read(line: AuditedLine, isRecent: boolean): void {
    const id = text(line.intent_id);
    const isKnown = isRecorded(line, this.journal);
    if (id === null) return isKnown ? undefined : this.readVoid(line, isRecent);
    if (line.event !== 'intent') return this.readOutcome(id, line, isRecent);
    this.answers.delete(id);
    if (!this.outcomes.has(id)) this.open.set(id, recordOf(line, requestIdOf(id)));
    if (!isKnown) this.take(line, intentOf(line, id, this.outcomes.get(id) ?? { kind: 'pending' }), isRecent);
  }

  /** A full disk may have taken no line of an exit's intent: its order and its key are those of the answer. */
  takeAnswersWithoutIntent(): void {
    for (const [id, { line, isRecent }] of this.answers) {
      const outcome = this.outcomes.get(id);
      if (outcome) this.take(line, intentOf(line, id, outcome), isRecent);
    }
  }

  private readVoid(line: AuditedLine, isRecent: boolean): void {
    const key = line.event === 'voided' ? text(line.client_order_id) : null;
    if (key !== null && isRecent) this.voids.set(key, timeOf(line));
  }

  /** The newest line that has an outcome decides. */
  private readOutcome(id: string, line: AuditedLine, isRecent: boolean): void {
    const outcome = this.outcomes.has(id) ? null : outcomeOf(line);
    if (outcome) this.outcomes.set(id, outcome);
    if (outcome?.kind === 'done' && !isRecorded(line, this.journal)) this.answers.set(id, { line, isRecent });
  }

  /** An order that replaced another one belongs to the key of the first one. */
  private claimsWithSuccessors(): Map<number, TicketClaim> {
    const claims = new Map(this.claims);
    for (const intent of this.replacing.toReversed()) {
      const [ticket, before] = [successorOf(intent), claims.get(intent.request.order)];
      if (ticket !== null && before && !claims.has(ticket)) claims.set(ticket, { ...before, intentId: intent.id });
    }
    return claims;
  }

  /** The order that a send made, and the send itself if the journal should have it and does not. */
  private take(line: AuditedLine, intent: IntentRecord, isRecent: boolean): void {
    const ticket = claimedTicket(intent);
    if (ticket !== null) this.claims.set(ticket, audited(line, intent));
    if (successorOf(intent) !== null) this.replacing.push(intent);
    const isOurs = line.journal_id === this.journal.id || line.journal_id === null;
    if (!isRecent || this.journal.intent(intent.id)) return;
    if (intent.outcome.kind === 'not_sent') return;
    const requestId = requestIdOf(intent.id);
    const request = this.requests.get(requestId) ?? { record: recordOf(line, requestId), intents: [] };
    request.intents.unshift(isOurs ? intent : { ...intent, ofLostJournal: true });
    this.requests.set(requestId, request);
  }
}

/** Whether the journal has recorded what a line states: then it has all of it. */
function isRecorded({ record }: AuditedLine, journal: KnownSends): boolean {
  return journal.hasRecord(text(record ?? null));
}

function audited(line: AuditedLine, { id: intentId, request }: IntentRecord): TicketClaim {
  return { intentId, clientOrderId: text(line.client_order_id), magic: request.magic };
}
