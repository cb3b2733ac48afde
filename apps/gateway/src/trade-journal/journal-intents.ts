import { isBuyOrder, PositionType, type TradePosition } from '@libs/terminal-client';
import type { IntentOutcome, IntentRecord, LookUpEvidence, TradePurpose } from '../trade-core/journal-records';
import { lateSends, longestBehindMs } from '../trade-core/late-sends';
import { storedRequest } from '../trade-core/trade-state';
import type { CoreShell } from './core-shell';
import type { JournalLog, JournalWriter } from './journal-writer';
import type { JournalStore } from './journal.store';
import type { RunningTime } from './running-time';
import { clockToleranceMs } from './trace-match';
import { TradeAttempt } from './trade-attempt';

/**
 * While a symbol has no new quote, an order matches each send since the last one. Two sends that are further apart are not
 * confused, because no market that takes orders is without quotes for so long.
 */
const confusableMs = 3_600_000;

/** No clock of a server is farther ahead of UTC. */
const farthestZoneMs = 14 * 3_600_000;

const mayMakeOrder: readonly TradePurpose[] = ['open', 'place_pending', 'modify_order'];

/** A position of an account that keeps one for each symbol. */
export type NettedPosition = Pick<TradePosition, 'ticket' | 'symbol' | 'type'>;

/** An outcome of a send that only the audit log has. */
export interface AuditedOutcome {
  readonly intentId: string;
  readonly outcome: Extract<IntentOutcome, { readonly kind: 'done' }>;
}

/** Reads the journal's intents for outcome recovery and for entry limits. */
export class JournalIntents {
  private notesFail = false;

  constructor(
    private readonly shell: CoreShell,
    private readonly store: JournalStore,
    private readonly writer: JournalWriter,
    private readonly running: RunningTime,
    private readonly log: JournalLog,
  ) {}

  /** The request of an intent, settled or not; for late answers. */
  attemptOf(intentId: string): TradeAttempt | undefined {
    const attempt = this.shell.ofIntent(intentId);
    if (attempt) return attempt;
    const intent = this.store.intent(intentId);
    const record = intent && this.store.request(intent.key);
    return record && intentId.startsWith(`${record.id}/`)
      ? new TradeAttempt(storedRequest(record, this.store.intentsOf(record.id)), true)
      : undefined;
  }

  /** Later changes of the position or order that an intent changes. */
  laterChanges({ id, request, writtenAtRunningMs = 0 }: IntentRecord): IntentRecord[] {
    return this.named(this.store.keys.changesOf(request.position || request.order)).filter(
      (other) => other.id !== id && (other.writtenAtRunningMs ?? 0) > writtenAtRunningMs,
    );
  }

  /** Sends on a position or order that a list may still be behind, the newest first. */
  late(ticket: number): IntentRecord[] {
    return lateSends(this.shell.core.state, ticket, this.running.nowMs());
  }

  /** Whether a list may still be behind a send. */
  isLate({ writtenAtRunningMs = 0 }: IntentRecord): boolean {
    return this.running.nowMs() - writtenAtRunningMs < longestBehindMs;
  }

  /**
   * The same for a position of an account that nets, with the executed entries of its side: each replaces the levels. None matters
   * without a change.
   */
  lateOnNetted({ ticket, symbol, type }: NettedPosition): IntentRecord[] {
    const late = this.late(ticket);
    if (!late.some(({ purpose }) => purpose === 'modify_levels')) return late;
    const entries = this.writtenWithin(longestBehindMs).filter(
      ({ purpose, request, outcome }) =>
        purpose === 'open' &&
        outcome.kind === 'done' &&
        request.symbol === symbol &&
        isBuyOrder(request.type) === (type === PositionType.BUY),
    );
    return [...late, ...entries].sort((a, b) => (b.writtenAtRunningMs ?? 0) - (a.writtenAtRunningMs ?? 0));
  }

  /** Intents written at or after an instant of UTC, oldest first. */
  since(ms: number): Promise<IntentRecord[]> {
    return this.store.intentsSince(ms);
  }

  /** The sends that opened or changed what is open now, oldest first. @param openedBy their ids @param changed tickets */
  concerning(openedBy: readonly string[], changed: readonly number[]): IntentRecord[] {
    const ids = new Set([...openedBy, ...changed.flatMap((ticket) => this.store.keys.changesOf(ticket))]);
    return this.named([...ids]).sort((a, b) => (a.writtenAtRunningMs ?? 0) - (b.writtenAtRunningMs ?? 0));
  }

  private named(ids: readonly string[]): IntentRecord[] {
    return ids.flatMap((id) => this.shell.ofIntent(id)?.intents.get(id) ?? this.store.intent(id) ?? []);
  }

  /** Intents written within this running time, settled or not. */
  writtenWithin(ms: number): IntentRecord[] {
    const nowMs = this.running.nowMs();
    const settled = this.store.keys.intentsSettledWithin(nowMs - ms, nowMs).map((id) => this.store.intent(id));
    const open = this.shell.all().flatMap(({ intents }) => [...intents.values()]);
    const found = new Map(
      [...settled, ...open].filter((intent) => intent !== undefined).map((intent) => [intent.id, intent]),
    );
    return [...found.values()].filter(({ writtenAtRunningMs = nowMs }) => nowMs - writtenAtRunningMs < ms);
  }

  /**
   * Other sends that the broker acknowledged without naming their order, and whose order could be taken for that of a send. No
   * ticket is claimed for them.
   */
  acknowledgedWithoutOrder({ id, writtenAtRunningMs = Infinity }: IntentRecord): IntentRecord[] {
    const fromMs = writtenAtRunningMs - confusableMs;
    return [...this.shell.core.state.unnamed.values()].filter(
      (other) => other.id !== id && (other.writtenAtRunningMs ?? fromMs) >= fromMs,
    );
  }

  /**
   * Entries whose order is not known, because they have no outcome or were acknowledged without a ticket, and that may have made a
   * position or an order. A change without an outcome is one: the broker may have replaced the order by another.
   * @param openedMsc when it was opened, server milliseconds; undefined if that is not known
   */
  entriesThatMayHaveOpened(symbol: string, openedMsc: number | undefined): IntentRecord[] {
    const open = this.shell.all().flatMap(({ openIntents }) => openIntents);
    return [...open, ...this.shell.core.state.unnamed.values()].filter(
      ({ purpose, request, serverTimeMsc, createdAtMs }) => {
        if (!mayMakeOrder.includes(purpose) || request.symbol !== symbol) return false;
        if (openedMsc === undefined) return true;
        // The last quote may be hours older than the send, and a pending order may be filled at any time.
        const sentMsc = Math.max(serverTimeMsc, createdAtMs + farthestZoneMs);
        const lastMsc = purpose === 'open' ? sentMsc + confusableMs : Infinity;
        return openedMsc >= serverTimeMsc - clockToleranceMs && openedMsc <= lastMsc;
      },
    );
  }

  /** Takes in the outcomes of an earlier process that are as old as a send that is looked up now. */
  recall(): void {
    const nowMs = this.running.nowMs();
    const lookedFor = this.shell.all().flatMap(({ lookedForIntents }) => lookedForIntents);
    const oldestMs = Math.min(nowMs, ...lookedFor.map(({ writtenAtRunningMs = nowMs }) => writtenAtRunningMs));
    this.shell.deliver({ type: 'recalled', intents: this.writtenWithin(nowMs - oldestMs + confusableMs) });
  }

  /** Outcomes in the audit log that prove the execution of a send which the journal has as not executed. */
  contradictedBy(outcomes: ReadonlyMap<string, IntentOutcome>): AuditedOutcome[] {
    return [...outcomes].flatMap(([intentId, outcome]) =>
      outcome.kind === 'done' && this.store.intent(intentId)?.outcome.kind === 'absent' ? [{ intentId, outcome }] : [],
    );
  }

  /** Total running time of the gateways on this journal, milliseconds. */
  runningMs(): number {
    return this.running.nowMs();
  }

  /** Evidence from the look-ups of an intent so far. */
  evidenceOf(intentId: string): LookUpEvidence | undefined {
    return this.store.keys.evidence.get(intentId);
  }

  /**
   * Stores the evidence and the running time. On a full disk both end with the process, and the look-ups start over.
   */
  async keepEvidence(intentId: string, evidence: LookUpEvidence): Promise<void> {
    await this.noted((tables) => void tables.keys.evidence.put(intentId, evidence));
  }

  /** Stores the running time, because the gateway may restart between two counted reads. */
  async keepRunningTime(): Promise<void> {
    await this.noted(() => undefined);
  }

  /** Written every few seconds, so only the first of consecutive failures is logged. */
  private async noted(change: Parameters<JournalWriter['write']>[0]): Promise<void> {
    try {
      await this.writer.write(change);
      this.notesFail = false;
    } catch (error) {
      if (!this.notesFail) this.log.error({ err: error }, 'the state of the look-ups cannot be written');
      this.notesFail = true;
    }
  }
}
