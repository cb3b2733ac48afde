import { ApiError, errorBody } from '@libs/envelope';
import type { Clock } from '@libs/clock';
import type { JournaledRequest, TradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import type { AuditedRequest } from './audited-requests';
import type {
  ChangeableValues,
  IntentRecord,
  LookUpEvidence,
  SettledOutcome,
  TicketClaim,
  TradePurpose,
  TradeRequestRecord,
} from './journal-records';
import { moveLegacyExpiries } from './legacy-expiries';
import { JournalTrust, type JournalReport } from './journal-trust';
import { JournalWriter, type JournalLog } from './journal-writer';
import type { JournalStore } from './journal.store';
import { expiredAnswer, keyIsVoid } from './expired-answer';
import { KeyRetention } from './key-retention';
import { KeyVoids } from './key-voids';
import { shortFingerprint, unknownFingerprint, type RememberedKey } from './remembered-key';
import { RefusedKeys } from './refused-keys';
import { isForgotten } from './retention-times';
import { RunningTime } from './running-time';
import type { StoredResponse } from './trade-answer';
import { TradeAttempt, type TradeIdentity } from './trade-attempt';
import { isOpen, mayBecome } from './trade-request-status';
import { unknownOutcome } from './unknown-outcome.error';

/** How long the disk is taken to be as it was found, for health and readiness. */
const probePeriodMs = 1_000;

/** What the journal says to a request that comes with a key. */
export type Reservation =
  | { readonly kind: 'reserved'; readonly attempt: TradeAttempt }
  | { readonly kind: 'replay'; readonly status: number; readonly body: string }
  /** The key belongs to a request with other parameters. */
  | { readonly kind: 'conflict'; readonly first: FirstUse }
  | { readonly kind: 'void' }
  | { readonly kind: 'in_progress' };

/** When and for what a key was first used. */
export interface FirstUse {
  /** Method and route template; null when it is no longer known. */
  readonly route: string | null;
  /** UTC milliseconds; null when it is no longer known. */
  readonly createdAtMs: number | null;
}

/** What a repetition of a request is recognised by; of the fingerprint the part that is kept may be left. */
type KeptIdentity = Pick<RememberedKey, 'fingerprint' | 'route'>;

/** What is known under a key: the request, or what stays of it when its response has expired. */
export type KnownKey =
  | { readonly kind: 'request'; readonly record: TradeRequestRecord }
  | { readonly kind: 'remembered'; readonly entry: RememberedKey };

export interface NewIntent {
  readonly purpose: TradePurpose;
  readonly request: TradeRequest;
  readonly serverTimeMsc: number;
  readonly positionId: number;
  readonly positionVolume: number;
  /** Of a change: what stands before it. */
  readonly standing?: ChangeableValues;
}

/**
 * The durable memory of every trade request: what was meant before the send, what came of it after, and the answer as
 * it was given. What it remembers is never sent again (design: gateway-api §4).
 */
export class TradeJournal {
  /** Requests at work, unresolved, or not yet on disk, by key. */
  private readonly live = new Map<string, TradeAttempt>();
  private readonly runningTime: RunningTime;
  private lastStampMs = 0;
  private readonly writer: JournalWriter;
  private readonly retention: KeyRetention;
  private readonly voids: KeyVoids;
  private probedAtMs = -Infinity;
  private notesFail = false;
  /** Whether it may be trusted to know every request that was sent. */
  readonly trust: JournalTrust;
  private readonly refused: RefusedKeys;

  /** @param responseTtlMs how long the answer to a settled request is kept, in running time */
  constructor(
    private readonly store: JournalStore,
    private readonly clock: Clock,
    private readonly responseTtlMs: number,
    private readonly newId: () => string,
    private readonly log: JournalLog,
  ) {
    this.runningTime = new RunningTime(clock, store.keys.storedRunningMs() ?? 0);
    this.writer = new JournalWriter(store, this.runningTime, responseTtlMs, log);
    this.voids = new KeyVoids(store, this.writer, this.runningTime, log);
    this.refused = new RefusedKeys(store, this.writer, this.runningTime, responseTtlMs);
    this.retention = new KeyRetention(store, this.writer, this.runningTime, responseTtlMs);
    this.trust = new JournalTrust(store, log);
  }

  /**
   * Takes up what an earlier process left unsettled: each becomes unknown, to be resolved. Call once, before serving.
   * @param audited the sends that only the audit log knows
   * @returns the intents whose outcome this process had to declare unknown
   * @throws StoreOpenError when an open request cannot be read
   */
  async recover(
    audited: readonly AuditedRequest[] = [],
  ): Promise<{ record: TradeRequestRecord; intent: IntentRecord }[]> {
    if (this.isWritable) await this.moveLegacy();
    for (const { record, intents } of this.store.leftOpen()) this.live.set(record.key, revived(record, intents));
    for (const request of audited) this.takeUp(request);
    const cutShort: { record: TradeRequestRecord; intent: IntentRecord }[] = [];
    for (const attempt of this.live.values()) {
      const { record } = attempt;
      for (const intent of attempt.openIntents) {
        if (intent.outcome.kind !== 'pending') continue;
        const outcome = { kind: 'unknown', reason: interrupted, result: null, lastError: null } as const;
        attempt.intents.set(intent.id, { ...intent, outcome });
        cutShort.push({ record, intent });
      }
      if (record.status === 'in_progress')
        attempt.record = { ...record, status: 'unknown', ...interruptedAnswer(record) };
      await this.writer.concluded(attempt);
    }
    return cutShort;
  }

  /** What the audit log has to be compared with: which journal this is, and which sends it knows. */
  get known(): { readonly id: string; readonly knows: (intentId: string) => boolean } {
    return { id: this.store.id, knows: (intentId) => this.store.intent(intentId) !== undefined };
  }

  /** Looks a key up and reserves it, in one step that nothing can come between. */
  reserve(identity: TradeIdentity & { readonly clientOrderId: string }, killGated: boolean): Reservation {
    const key = identity.clientOrderId;
    if (this.voids.isBeingWritten(key)) return { kind: 'in_progress' };
    const known = this.lookUp(key);
    if (!known) {
      const bound = this.refused.find(key);
      if (bound && bound.fingerprint !== shortFingerprint(identity.fingerprint))
        return { kind: 'conflict', first: bound };
      return { kind: 'reserved', attempt: this.begin(identity, killGated) };
    }
    if (known.kind === 'remembered') {
      if (known.entry.status === 'void') return { kind: 'void' };
      if (!isSameRequest(known.entry, identity)) return { kind: 'conflict', first: known.entry };
      return { kind: 'replay', ...expiredAnswer(known.entry, key, identity.requestId) };
    }
    const { record } = known;
    if (!isSameRequest(record, identity)) return { kind: 'conflict', first: record };
    if (this.live.get(key)?.running || record.responseStatus === null || record.response === null) {
      return { kind: 'in_progress' };
    }
    return { kind: 'replay', status: record.responseStatus, body: record.response };
  }

  /** Begins a request; one without a key gets a key that no client can name, being no ASCII. */
  begin(identity: TradeIdentity, killGated: boolean): TradeAttempt {
    const id = this.newId();
    const attempt = new TradeAttempt(
      {
        ...identity,
        id,
        key: identity.clientOrderId ?? `§${id}`,
        status: 'in_progress',
        createdAtMs: this.clock.nowMs(),
        settledAtMs: null,
        responseStatus: null,
        response: null,
      },
      killGated,
    );
    this.live.set(attempt.key, attempt);
    return attempt;
  }

  /**
   * Writes what is about to be sent; resolves when it is on disk. If it cannot be written, new risk is refused, while a
   * request that only takes risk away passes.
   * @throws ApiError journal_unavailable, journal_lost, or key_void when its key was made void since it was reserved
   */
  async record(attempt: TradeAttempt, intent: NewIntent): Promise<JournaledRequest> {
    if (!this.hasRoom && !reducesRisk(intent.purpose)) await this.requireRoom();
    if (this.voids.isBeingWritten(attempt.key)) await this.voids.decided(attempt.key);
    // From here to the intent's id there is no other turn: a void comes before it or finds it.
    if (this.voids.isVoid(attempt.key)) throw keyIsVoid(attempt.key);
    const record: IntentRecord = {
      ...intent,
      id: attempt.nextIntentId(),
      key: attempt.key,
      createdAtMs: this.clock.nowMs(),
      writtenAtRunningMs: this.stamp(),
      outcome: { kind: 'pending' },
    };
    try {
      await this.writer.intent(attempt, record);
    } catch (error) {
      this.log.error(
        { err: error, intent_id: record.id, purpose: record.purpose },
        'the trade journal cannot be written',
      );
      if (!reducesRisk(record.purpose)) {
        throw new ApiError('journal_unavailable', 'the trade journal cannot be written: no new trades are accepted', {
          cause: error,
        });
      }
      attempt.dirty = true;
    }
    attempt.intents.set(record.id, record);
    return sealRequest(record.id, record.request);
  }

  /** Writes what became of an intent; resolves when it is on disk. A failing disk is logged, the truth stays in memory. */
  async settle(attempt: TradeAttempt, intentId: string, outcome: SettledOutcome): Promise<void> {
    const intent = attempt.intents.get(intentId);
    if (!intent) throw new Error(`no intent ${intentId}`);
    const settled = { ...intent, outcome };
    attempt.intents.set(intentId, settled);
    await this.writer.settled(attempt, settled);
  }

  /**
   * Keeps the final answer, before it is sent. With an outcome still open the request stays unknown, to be resolved.
   * @throws ApiError key_void when nothing was sent and the key was made void since it was reserved
   */
  async complete(attempt: TradeAttempt, response: StoredResponse): Promise<void> {
    if (!attempt.hasIntent) {
      await this.voids.decided(attempt.key);
      if (this.voids.isVoid(attempt.key)) throw keyIsVoid(attempt.key);
    }
    const status = attempt.openIntents.length > 0 || response.status === 502 ? 'unknown' : 'completed';
    await this.conclude(attempt, status, response);
    attempt.running = false;
  }

  /** The outcome of an unknown request was found out, or proved undecidable; replays answer with this from now on. */
  async resolve(
    attempt: TradeAttempt,
    status: 'recovered' | 'absent' | 'unknown',
    response: StoredResponse,
  ): Promise<void> {
    await this.conclude(attempt, status, response);
  }

  /**
   * Forgets a request of which nothing can have reached the broker. Its key stays bound to its parameters: the same
   * request is judged anew.
   */
  async release(attempt: TradeAttempt): Promise<void> {
    if (attempt.intents.size > 0) await this.writer.released(attempt);
    this.live.delete(attempt.key);
    this.bind(attempt.record);
  }

  /** Binds the key of a request that was refused before it was reserved; nothing for one whose key is known. */
  bind(identity: TradeIdentity): void {
    const key = identity.clientOrderId;
    if (key !== null && !this.lookUp(key)) this.refused.bind(key, identity, this.clock.nowMs());
  }

  /**
   * Makes a key void, unless an intent is written or being written for it. A request under the key that has none yet is
   * refused before its send.
   * @returns what is known under the key now
   * @throws ApiError journal_unavailable when the void is not on disk, journal_lost when it would prove nothing
   */
  async makeVoid(key: string): Promise<KnownKey> {
    // A journal that replaces a lost one cannot prove that nothing was sent.
    if (!this.hasRoom && !this.lookUp(key)) await this.requireRoom();
    const attempt = this.live.get(key);
    const known = attempt?.running && !attempt.hasIntent ? undefined : this.lookUp(key);
    if (known) return known;
    await this.voids.make(key, this.clock.nowMs());
    const entry = this.store.keys.memory(key);
    if (!entry) throw new Error('a void was written and is not there');
    return { kind: 'remembered', entry };
  }

  /** Whether a key is void, on disk. */
  isVoid(key: string): boolean {
    return this.voids.isVoid(key);
  }

  /** Whether anything is known under a key: then nothing is sent for it. */
  remembers(key: string): boolean {
    return this.lookUp(key) !== undefined;
  }

  /** What is known under a key. */
  lookUp(key: string): KnownKey | undefined {
    const nowMs = this.runningTime.nowMs();
    const memory = this.store.keys.memory(key);
    const entry = memory && !isForgotten(memory.endedAtRunningMs, nowMs) ? memory : undefined;
    if (entry?.status === 'void') return { kind: 'remembered', entry };
    const record = this.live.get(key)?.record ?? this.store.request(key);
    const endedMs = record?.settledAtRunningMs;
    if (record && (endedMs === undefined || nowMs < endedMs + this.responseTtlMs)) return { kind: 'request', record };
    return entry && { kind: 'remembered', entry };
  }

  /** Requests whose outcome is unknown and that no handler is at work on, oldest first. */
  unresolved(): TradeAttempt[] {
    return [...this.live.values()]
      .filter(({ running, record }) => !running && record.status === 'unknown')
      .sort((a, b) => a.record.createdAtMs - b.record.createdAtMs);
  }

  /** The requests that a handler is at work on. */
  running(): TradeAttempt[] {
    return [...this.live.values()].filter(({ running }) => running);
  }

  /** The request of an intent, settled or not: for an answer that came late. */
  attemptOf(intentId: string): TradeAttempt | undefined {
    const attempt = this.attemptInMemory(intentId);
    if (attempt) return attempt;
    const intent = this.store.intent(intentId);
    const record = intent && this.store.request(intent.key);
    return record && intentId.startsWith(`${record.id}/`)
      ? revived(record, this.store.intentsOf(record.id))
      : undefined;
  }

  /** Other changes of the position or order that an intent changes, written since. */
  laterChanges({ id, request, writtenAtRunningMs = 0 }: IntentRecord): IntentRecord[] {
    return this.store.keys
      .changesOf(request.position || request.order)
      .map((other) => this.attemptInMemory(other)?.intents.get(other) ?? this.store.intent(other))
      .filter((other): other is IntentRecord => other !== undefined && other.id !== id)
      .filter((other) => (other.writtenAtRunningMs ?? 0) > writtenAtRunningMs);
  }

  /** Milliseconds for which gateways have run on this journal. */
  runningMs(): number {
    return this.runningTime.nowMs();
  }

  /** What the look-ups of an intent have shown so far. */
  evidenceOf(intentId: string): LookUpEvidence | undefined {
    return this.store.keys.evidenceOf(intentId);
  }

  /** Stores it, and the running time with it. On a full disk it is lost with the process, and the look-ups begin anew. */
  async keepEvidence(intentId: string, evidence: LookUpEvidence): Promise<void> {
    await this.noted((tables) => tables.keys.putEvidence(intentId, evidence));
  }

  /** Stores the running time: between two counted reads a gateway may be restarted. */
  async keepRunningTime(): Promise<void> {
    await this.noted(() => undefined);
  }

  /** Which intent an order ticket belongs to. */
  claim(ticket: number): TicketClaim | undefined {
    return this.writer.claim(ticket);
  }

  /** The key a client gave to the request that an order or position came from; null when there was none. */
  clientOrderIdOf(ticket: number): string | null {
    return this.claim(ticket)?.clientOrderId ?? null;
  }

  /** Intents written at or after an instant of UTC, oldest first. */
  intentsSince(ms: number): Promise<IntentRecord[]> {
    return this.store.intentsSince(ms);
  }

  /** Forgets what has expired, and writes again what could not be written before. */
  async sweep(): Promise<void> {
    await this.writeKept();
    // What is left of a full disk is for closes and cancels.
    if (!this.isWritable) return;
    await this.moveLegacy();
    await this.retention.sweep();
  }

  /** How the journal stands at this moment: asks the disk, and the account while the journal is not proven. */
  async look(): Promise<JournalReport> {
    const nowMs = this.clock.monotonicMs();
    if (!this.isWritable || nowMs - this.probedAtMs >= probePeriodMs) {
      this.probedAtMs = nowMs;
      await this.probe();
    }
    await this.trust.settle();
    return this.trust.report();
  }

  /** Whether the disk takes what new risk needs, by what is known now. */
  get isWritable(): boolean {
    return this.store.condition.writable;
  }

  /** Finds out whether the disk takes writes now, and writes what could not be written before. Never rejects. */
  async probe(): Promise<void> {
    const wasWritable = this.isWritable;
    const { writable } = await this.store.probe();
    if (writable && !wasWritable) await this.writeKept();
  }

  /** Stores the running time, then closes the file. */
  async close(): Promise<void> {
    if (!this.isWritable) await this.probe();
    await this.writeKept();
    await this.refused.written();
    await this.keepRunningTime();
    await this.store.close();
  }

  /** Whether it takes new risk, without asking the disk or the account again. */
  private get hasRoom(): boolean {
    return this.trust.isProven && this.isWritable;
  }

  /** The reserve of disk space is for closes and cancels alone. @throws ApiError journal_unavailable or journal_lost */
  private async requireRoom(): Promise<void> {
    await this.trust.require();
    if (this.store.condition.writable) return;
    await this.probe();
    const { condition } = this.store;
    if (condition.writable) return;
    throw new ApiError('journal_unavailable', 'the trade journal cannot be written: no new trades are accepted', {
      details: { reason: condition.reason },
    });
  }

  /** Running time that no two intents share, so that it is known which was written first. */
  private stamp(): number {
    this.lastStampMs = Math.max(this.runningTime.nowMs(), this.lastStampMs + 1);
    return this.lastStampMs;
  }

  private attemptInMemory(intentId: string): TradeAttempt | undefined {
    for (const attempt of this.live.values()) if (attempt.intents.has(intentId)) return attempt;
    return undefined;
  }

  /** It is written every few seconds, so one failure is logged and those that follow it are not. */
  private async noted(change: Parameters<JournalWriter['write']>[0]): Promise<void> {
    try {
      await this.writer.write(change);
      this.notesFail = false;
    } catch (error) {
      if (!this.notesFail) this.log.error({ err: error }, 'the state of the look-ups cannot be written');
      this.notesFail = true;
    }
  }

  /** A disk that takes no more does not keep the gateway from starting: the next sweep tries again. */
  private async moveLegacy(): Promise<void> {
    try {
      await moveLegacyExpiries(this.store, this.writer, this.runningTime, this.responseTtlMs);
    } catch (error) {
      this.log.error({ err: error }, 'the journal of an earlier version cannot be converted; trying again later');
    }
  }

  /** Requests of which something could not be written, as they are now. */
  private async writeKept(): Promise<void> {
    for (const attempt of this.live.values()) {
      if (attempt.dirty && !attempt.running) await this.conclude(attempt, attempt.record.status, null);
    }
  }

  /** Adds what only the audit log knows; a key that is known otherwise keeps what is known of it. */
  private takeUp({ record, intents }: AuditedRequest): void {
    const attempt = this.live.get(record.key) ?? (this.remembers(record.key) ? null : revived(record, []));
    if (attempt?.record.id !== record.id) return;
    for (const intent of intents) attempt.intents.set(intent.id, intent);
    attempt.dirty = true;
    this.live.set(attempt.key, attempt);
  }

  private async conclude(
    attempt: TradeAttempt,
    status: TradeRequestRecord['status'],
    response: StoredResponse | null,
  ): Promise<void> {
    const { record } = attempt;
    if (status !== record.status && !mayBecome(record.status, status)) {
      throw new Error(`a trade request cannot go from ${record.status} to ${status}`);
    }
    const nowMs = this.clock.nowMs();
    attempt.record = {
      ...record,
      status,
      settledAtMs: isOpen(status) ? null : (record.settledAtMs ?? nowMs),
      ...(isOpen(status) ? {} : { settledAtRunningMs: record.settledAtRunningMs ?? this.runningTime.nowMs() }),
      ...(response === null ? {} : { responseStatus: response.status, response: response.body }),
    };
    await this.writer.concluded(attempt);
    if (!isOpen(status) && !attempt.dirty) this.live.delete(attempt.key);
  }
}

/** A request that an earlier process began. */
function revived(record: TradeRequestRecord, intents: readonly IntentRecord[]): TradeAttempt {
  const attempt = new TradeAttempt(record, true);
  attempt.running = false;
  for (const intent of intents) attempt.intents.set(intent.id, intent);
  return attempt;
}

/**
 * Without a fingerprint any request of the same route counts as the same, so that it is not sent: of a key that was taken
 * over from version 0.1.0, or from the audit log.
 */
function isSameRequest({ fingerprint, route }: KeptIdentity, asked: TradeIdentity): boolean {
  if (fingerprint === unknownFingerprint) return route === null || route === asked.route;
  return fingerprint === asked.fingerprint || fingerprint === shortFingerprint(asked.fingerprint);
}

const interrupted = 'the gateway stopped before the answer';

function interruptedAnswer(record: TradeRequestRecord): { responseStatus: number; response: string } {
  const error = unknownOutcome(interrupted, { clientOrderId: record.clientOrderId });
  return { responseStatus: error.status, response: JSON.stringify(errorBody(error, record.requestId)) };
}

/** Requests that only take risk away pass even when they cannot be written down. */
export function reducesRisk(purpose: TradePurpose): boolean {
  return purpose === 'close' || purpose === 'close_partial' || purpose === 'cancel';
}
