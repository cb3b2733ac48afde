import type { Clock } from '@libs/clock';
import type { ApiError } from '@libs/envelope';
import type { JournaledRequest } from '@libs/terminal-client';
import type { AuditEvent } from '../audit/audit-event';
import type { AuditRecords, StampedEvent } from '../audit/audit-record';
import type { AuditTrail } from '../audit/audit-trail';
import type { JournalMark } from '../audit/journal-mark';
import type { FenceStore } from '../fences/fence';
import { Fences } from '../fences/fences';
import { nothingAudited, type AuditedSends } from './audited-sends';
import { JournalIntents, type AuditedOutcome } from './journal-intents';
import type { IntentRecord, NewIntent, SettledOutcome, TicketClaim, TradeIdentity } from './journal-records';
import { JournalRecovery, type CutShort } from './journal-recovery';
import { JournalRoom } from './journal-room';
import { JournalTrust, type JournalReport } from './journal-trust';
import { JournalWriter, type JournalLog } from './journal-writer';
import type { JournalStore } from './journal.store';
import { KeyRetention } from './key-retention';
import { KeyVoids } from './key-voids';
import { KnownKeys, type KnownKey } from './known-keys';
import { LiveRequests } from './live-requests';
import { LostKeys } from './lost-keys';
import { RefusedKeys } from './refused-keys';
import { RequestEnds } from './request-ends';
import { answerTo, type Reservation } from './reservation';
import { RunningTime } from './running-time';
import { SendRecords } from './send-records';
import type { StoredResponse } from './trade-answer';
import { begun, keyOfNameless, type TradeAttempt } from './trade-attempt';

/** What a journal contains, by its file. */
interface KnownSends {
  readonly id: string;
  readonly knows: (intentId: string) => boolean;
  /** Whether an audit line is that of one of its records. */
  readonly hasRecord: (record: string | null) => boolean;
  readonly intent: (intentId: string) => IntentRecord | undefined;
}

/** The fences of a journal. */
function fencesIn(store: JournalStore, writer: JournalWriter): FenceStore {
  return {
    get losses() {
      return store.losses;
    },
    fences: () => store.fences(),
    putFences: (fences, event) => writer.fences(fences, event),
  };
}

/** Characters: more than a client's key has, or the id of a request. */
const longestKey = 512;

/**
 * The durable record of every trade request: the intent before a send, its outcome after it, and the answer as it was
 * given. A request that it remembers is never sent again.
 */
export class TradeJournal {
  /** Whether it is trusted to contain every request that was sent. */
  readonly trust: JournalTrust;
  /** The intents of all requests. */
  readonly intents: JournalIntents;
  /** The fences of all strategies. */
  readonly fences: Fences;
  /** Keys that only a lost journal had, as the broker's books show them. */
  readonly lostKeys: LostKeys;
  private readonly runningTime: RunningTime;
  private readonly writer: JournalWriter;
  private readonly live: LiveRequests;
  private readonly voids: KeyVoids;
  private readonly refused: RefusedKeys;
  private readonly keys: KnownKeys;
  private readonly room: JournalRoom;
  private readonly sends: SendRecords;
  private readonly ends: RequestEnds;
  private readonly retention: KeyRetention;
  private unwritten: readonly AuditedOutcome[] = [];
  private readonly listeners: ((intent: IntentRecord) => void)[] = [];

  /** @param responseTtlMs how long the answer to a settled request is kept, in running time */
  constructor(
    private readonly store: JournalStore,
    private readonly clock: Clock,
    responseTtlMs: number,
    private readonly newId: () => string,
    log: JournalLog,
  ) {
    this.runningTime = new RunningTime(clock, store.keys.storedRunningMs() ?? 0);
    this.writer = new JournalWriter(store, this.runningTime, responseTtlMs, log);
    this.live = new LiveRequests(this.writer);
    this.trust = new JournalTrust(store, clock, log);
    this.fences = new Fences(fencesIn(store, this.writer), clock);
    this.room = new JournalRoom(store, this.trust, this.live, clock);
    this.voids = new KeyVoids(store, this.writer, this.runningTime, log);
    this.refused = new RefusedKeys(store, this.writer, this.runningTime, responseTtlMs);
    this.lostKeys = new LostKeys(newId);
    this.keys = new KnownKeys(
      ...([this.live, store, this.voids, this.refused, this.runningTime, responseTtlMs] as const),
      ...([this.lostKeys, clock] as const),
    );
    this.sends = new SendRecords(this.writer, this.voids, this.room, clock, this.runningTime, log);
    this.ends = new RequestEnds(this.live, this.keys, this.voids, this.writer, clock, this.runningTime);
    this.intents = new JournalIntents(this.live, store, this.writer, this.runningTime, log);
    this.retention = new KeyRetention(store, this.writer, this.runningTime, responseTtlMs, log);
  }

  /**
   * Restores the unsettled requests of an earlier process: each becomes unknown, to be resolved. Call once, before
   * serving.
   * @param audited sends and void keys in the audit log
   * @returns the intents whose outcome became unknown in this process
   * @throws StoreOpenError when an open request cannot be read
   */
  async recover(audited: AuditedSends = nothingAudited): Promise<CutShort[]> {
    if (this.isWritable) await this.retention.moveLegacy();
    await this.fences.takeUp(audited.fences);
    const cutShort = await new JournalRecovery(this.live, this.keys, this.voids, this.store, this.writer).run(audited);
    this.intents.recall();
    this.unwritten = this.intents.contradictedBy(audited.outcomes);
    return cutShort;
  }

  /**
   * Late answers to requests that the journal has as not executed: an earlier process ended between the audit line and the
   * write of the journal.
   */
  get unwrittenOutcomes(): readonly AuditedOutcome[] {
    return this.unwritten;
  }

  /**
   * Records the event of each change with it from now on, and the number of the last line of the audit log.
   * @returns the number that an earlier process stored; 0 if none did
   */
  auditIn(trail: AuditTrail): number {
    this.writer.auditIn(trail);
    return this.store.keys.storedAuditSequence();
  }

  /** The recorded events, which become lines of the audit log. */
  get auditRecords(): AuditRecords {
    return this.store.records;
  }

  /** The mark of new audit lines. */
  get auditMark(): JournalMark | null {
    return this.trust.auditMark;
  }

  /** Whether the disk has the space for events that no request waits for; the reserve of a full disk is for exits. */
  get takesRecords(): boolean {
    return this.isWritable && !this.store.isClosed;
  }

  /** Records an event without a change. @throws StoreWriteError if it is not on disk */
  append(stamped: StampedEvent): Promise<void> {
    return this.writer.write(() => undefined, stamped);
  }

  /** Copies the journal to a folder while requests go on; see {@link Store.copyTo}. */
  copyTo(folder: string): Promise<void> {
    return this.store.copyTo(folder);
  }

  /** The facts to compare with the audit log: the id of this journal and the sends that it contains. */
  get known(): KnownSends {
    const intent = (id: string): IntentRecord | undefined => this.store.intent(id);
    const hasRecord = (record: string | null): boolean => this.store.records.has(record);
    return { id: this.store.id, knows: (id) => intent(id) !== undefined, hasRecord, intent };
  }

  /**
   * Looks a key up and reserves it, atomically.
   * @param isFenced the request's fence does not allow it to trade; a used key is answered all the same
   */
  reserve(
    identity: TradeIdentity & { readonly clientOrderId: string },
    killGated: boolean,
    isFenced = false,
  ): Reservation {
    const key = identity.clientOrderId;
    const answer = answerTo(this.keys.asked(key, identity, isFenced), key, identity.requestId);
    return answer ?? { kind: 'reserved', attempt: this.begin(identity, killGated) };
  }

  /**
   * Begins a request. Without a client's key, the request gets one that is not ASCII, so that no client can name it.
   */
  begin(identity: TradeIdentity, killGated: boolean): TradeAttempt {
    const attempt = begun(identity, this.newId(), this.clock.nowMs(), killGated);
    this.live.put(attempt);
    return attempt;
  }

  /**
   * Writes an intent before its send; resolves once it is on disk. If it cannot be written, a request that only reduces
   * risk passes and any other is denied.
   * @throws ApiError journal_unavailable, journal_lost, or key_void if its key was made void since the reservation
   */
  record(attempt: TradeAttempt, intent: NewIntent): Promise<JournaledRequest> {
    return this.sends.begin(attempt, intent);
  }

  /**
   * Writes the outcome of an intent; resolves once it is on disk. A failed write is logged, and the outcome stays in
   * memory. A settled outcome does not change.
   * @param event recorded with it; null if it was recorded before. Nothing of the outcome is shown before its line is written
   */
  async settle(
    attempt: TradeAttempt,
    intentId: string,
    outcome: SettledOutcome,
    event: AuditEvent | null = null,
  ): Promise<void> {
    const settled = this.sends.settle(attempt, intentId, outcome);
    if (!settled) return this.writer.noted(event);
    // Before the write, with which the send is no longer open: it has to be in one of the two lists.
    this.intents.settled(settled);
    await this.writer.settled(attempt, settled, event);
    // A late answer to a settled request may have been the first to need it in memory.
    if (attempt.dirty) this.live.put(attempt);
    for (const listener of this.listeners) listener(settled);
  }

  /**
   * As {@link settle}, for a settled request: its new answer is written with the outcome. After a crash between two writes,
   * the old answer would contradict the outcome.
   */
  async amend(
    attempt: TradeAttempt,
    intentId: string,
    outcome: SettledOutcome,
    event: AuditEvent | null,
    answerOf: (attempt: TradeAttempt) => { readonly status: 'recovered' | 'absent'; readonly response: StoredResponse },
  ): Promise<void> {
    const settled = this.sends.settle(attempt, intentId, outcome);
    if (!settled) return this.writer.noted(event);
    this.intents.settled(settled);
    const { status, response } = answerOf(attempt);
    // So that one write has the intents and their claims as well.
    attempt.dirty = true;
    await this.ends.resolve(attempt, status, response, ...(event ? [event] : []));
    for (const listener of this.listeners) listener(settled);
  }

  /**
   * Keeps the final answer, before it is sent. While an outcome is open, the request stays unknown, to be resolved.
   * @throws ApiError key_void if nothing was sent and the key was made void since the reservation
   */
  complete(attempt: TradeAttempt, response: StoredResponse): Promise<void> {
    return this.ends.complete(attempt, response);
  }

  /** Calls the listener when the outcome of a send is on disk, or kept in memory because the disk fails. It must not throw. */
  onSettled(listener: (intent: IntentRecord) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Resolves an unknown request: recovered, absent, undecidable, or accepted as unknown by an operator. Replays return
   * this answer from now on.
   * @param events what led to it, recorded with it
   */
  resolve(
    attempt: TradeAttempt,
    status: 'recovered' | 'absent' | 'unknown' | 'accepted',
    response: StoredResponse,
    ...events: readonly AuditEvent[]
  ): Promise<void> {
    return this.ends.resolve(attempt, status, response, ...events);
  }

  /**
   * Removes a request of which nothing can have reached the broker. Its key stays bound to its parameters, and the same
   * request is checked again.
   */
  release(attempt: TradeAttempt): Promise<void> {
    return this.ends.release(attempt);
  }

  /** Binds the key of a request that was refused before its reservation, unless the key has a record. */
  bind(identity: TradeIdentity): void {
    this.keys.bind(identity, this.clock.nowMs());
  }

  /**
   * Makes a key void, unless an intent is written or being written for it. A request under the key without an intent is
   * refused before its send.
   * @param login of the account that it is made void for; null if none is known
   * @param event recorded with the void
   * @returns the record of the key after that
   * @throws ApiError journal_unavailable if the void is not on disk, journal_lost if it would prove nothing
   */
  async makeVoid(key: string, login: number | null = null, event: AuditEvent | null = null): Promise<KnownKey> {
    // A journal that replaces a lost one cannot prove that nothing was sent.
    if (!this.room.isOpen && !this.lookUp(key)) await this.room.require();
    if (this.keys.needsVoid(key)) await this.voids.make(key, this.clock.nowMs(), login, event);
    const known = this.lookUp(key);
    if (!known) throw new Error('a written void is missing');
    return known;
  }

  /** Whether a key is void, on disk. */
  isVoid(key: string): boolean {
    return this.voids.isVoid(key);
  }

  /**
   * The error for new risk under a key that a lost journal may have known; null if there is none. It takes precedence
   * over other refusals, which would imply that nothing was done under the key.
   */
  forgottenRefusal(key: string | null): ApiError | null {
    const { lostRefusal } = this.trust;
    return lostRefusal !== null && key !== null && !this.remembers(key) ? lostRefusal : null;
  }

  /** Whether a key has a record; if so, nothing is sent under it. */
  remembers(key: string): boolean {
    return this.lookUp(key) !== undefined;
  }

  /** The record of a key. */
  lookUp(key: string): KnownKey | undefined {
    // No key is longer, and the store takes none that is.
    return key.length > longestKey ? undefined : this.keys.lookUp(key);
  }

  /** The journal's key for a name: a client's key, or the journal's id of a request without one. */
  keyNamed(name: string): string {
    return this.lookUp(name) ? name : keyOfNameless(name);
  }

  /** The request under a key of the journal; undefined if it is settled or unknown. */
  openRequest(key: string): TradeAttempt | undefined {
    return this.live.get(key);
  }

  /** Requests with an unknown outcome and no running handler, oldest first. */
  unresolved(): TradeAttempt[] {
    return this.live.unresolved();
  }

  /** Requests with a running handler. */
  running(): TradeAttempt[] {
    return this.live.running();
  }

  /** The intent that an order ticket belongs to, also while that is being written. */
  claim(ticket: number): TicketClaim | undefined {
    return this.writer.claim(ticket);
  }

  /** Grows with every change of the claims. */
  get claimsRevision(): number {
    return this.writer.claimsRevision;
  }

  /** The client's key of the request that created an order or position; null if none is on record. */
  clientOrderIdOf(ticket: number): string | null {
    return this.writer.shownClaim(ticket)?.clientOrderId ?? null;
  }

  /** Removes expired entries, and retries failed writes. */
  async sweep(): Promise<void> {
    await this.live.writeKept();
    // The reserve of a full disk is for closes and cancels.
    if (!this.isWritable) return;
    await this.retention.moveLegacy();
    await this.retention.sweep();
    this.writer.claimsChanged();
  }

  /** The journal's current state; probes the disk, and reads the account while the journal is unproven. */
  look(): Promise<JournalReport> {
    return this.room.look();
  }

  /** Whether the disk has the space that new risk needs, as of the last write or probe. */
  get isWritable(): boolean {
    return this.room.isWritable;
  }

  /** Probes the disk and writes what could not be written before. Never rejects. */
  probe(): Promise<void> {
    return this.room.probe();
  }

  /** Stores the running time, then closes the file. */
  async close(): Promise<void> {
    if (!this.isWritable) await this.probe();
    await this.live.writeKept();
    await this.refused.written();
    await this.intents.keepRunningTime();
    await this.store.close();
  }
}
