import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { JournaledRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import type { AuditEvent } from '../audit/audit-event';
import type { AuditRecords, JournalMark, StampedEvent } from '../audit/audit-record';
import type { AuditTrail } from '../audit/audit-trail';
import { fenceFacts } from '../fences/fence-facts';
import { Fences } from '../fences/fences';
import type { CoreEventBody, Resolution, StoredAnswer } from '../trade-core/core-event';
import type { CoreRecording } from '../trade-core/core-recording';
import {
  keyOfNameless,
  reducesRisk,
  type IntentRecord,
  type NewIntent,
  type SettledOutcome,
  type TicketClaim,
  type TradeIdentity,
} from '../trade-core/journal-records';
import type { KnownKey, StoredKey } from '../trade-core/known-key';
import { ticketsOf } from '../trade-core/ticket-claims';
import { nothingAudited, type AuditedSends, type KnownSends } from './audited-sends';
import { CoreShell, type Performed } from './core-shell';
import { keyIsVoid } from './expired-answer';
import { JournalIntents, type AuditedOutcome } from './journal-intents';
import { recover, type CutShort } from './journal-recovery';
import { JournalRoom } from './journal-room';
import { JournalTrust } from './journal-trust';
import { JournalWriter, type JournalLog } from './journal-writer';
import type { JournalStore } from './journal.store';
import { KeyRetention } from './key-retention';
import { LostKeys } from './lost-keys';
import { answerTo, type Reservation } from './reservation';
import { RunningTime } from './running-time';
import type { TradeAttempt } from './trade-attempt';

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
  /** What decides, with what performs it. */
  readonly shell: CoreShell;
  /** Whether it accepts new risk. */
  readonly room: JournalRoom;
  private readonly retention: KeyRetention;
  /**
   * Late answers to requests that the journal has as not executed: an earlier process ended between the audit line and the write of
   * the journal.
   */
  unwrittenOutcomes: readonly AuditedOutcome[] = [];

  /**
   * @param responseTtlMs how long the answer to a settled request is kept, in running time
   * @param recording receives the events of the core
   */
  constructor(
    private readonly store: JournalStore,
    private readonly clock: Clock,
    responseTtlMs: number,
    private readonly newId: () => string,
    private readonly log: JournalLog,
    private readonly recording: (CoreRecording & { end?(): Promise<void> }) | null = null,
  ) {
    this.runningTime = new RunningTime(clock, store.keys.counters.get('running_ms') ?? 0);
    this.writer = new JournalWriter(store, this.runningTime);
    this.shell = new CoreShell(this.writer, clock, this.runningTime, responseTtlMs, log, recording);
    this.trust = new JournalTrust(store, clock, log);
    this.fences = new Fences(this.shell, () => store.losses, clock);
    this.room = new JournalRoom(store, this.trust, this.shell, clock);
    this.lostKeys = new LostKeys(newId);
    this.intents = new JournalIntents(this.shell, store, this.writer, this.runningTime, log);
    this.retention = new KeyRetention(store, this.shell, this.writer, this.runningTime, responseTtlMs, log);
    const refused = [...store.keys.refused.getRange({})]
      .map(({ key, value }) => [key, value] as const)
      .sort(([, a], [, b]) => a.atRunningMs - b.atRunningMs);
    this.shell.deliver({ type: 'opened', refused, fences: [...store.fences()] });
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
    const isKnown = (key: string): boolean => this.remembers(key);
    const claimsOf = (intents: readonly IntentRecord[]): [number, TicketClaim][] => this.storedClaims(intents);
    const cutShort = await recover(this.shell, this.store, audited, isKnown, claimsOf);
    // A failed write is logged and must not prevent the start.
    const voids = [...audited.voids].filter(([key]) => !this.remembers(key));
    await Promise.all(voids.map(([key, atMs]) => this.shell.run(this.voidAsked(key, null, null, atMs))));
    this.intents.recall();
    this.unwrittenOutcomes = this.intents.contradictedBy(audited.outcomes);
    return cutShort;
  }

  /**
   * Records the event of each change with it from now on, and the number of the last line of the audit log.
   * @returns the number that an earlier process stored; 0 if none did
   */
  auditIn(trail: AuditTrail): number {
    this.writer.auditIn(trail);
    return this.store.keys.counters.get('audit_sequence') ?? 0;
  }

  /** The recorded events, which become lines of the audit log. */
  get auditRecords(): AuditRecords {
    return this.store.records;
  }

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
    const { id, records } = this.store;
    return { id, intent: (intentId) => this.store.intent(intentId), hasRecord: (record) => records.has(record) };
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
    const { clientOrderId: key, requestId } = identity;
    const stored = this.storedKey(key);
    const effects = this.shell.deliver({ type: 'requested', identity, id: this.newId(), isFenced, stored });
    const answer = answerTo(effects, key, requestId);
    return answer ?? { kind: 'reserved', attempt: this.shell.begun(key, killGated) };
  }

  /**
   * Begins a request. Without a client's key, the request gets one that is not ASCII, so that no client can name it.
   */
  begin(identity: TradeIdentity, killGated: boolean): TradeAttempt {
    const id = this.newId();
    this.shell.deliver({ type: 'requested', identity, id, isFenced: false, stored: nothingStored });
    return this.shell.begun(identity.clientOrderId ?? keyOfNameless(id), killGated);
  }

  /** Binds a request to the account that its send goes to, unless it is bound to one. @param login of that account */
  bindAccount(attempt: TradeAttempt, login: number | null): void {
    if (login !== null && this.shell.has(attempt))
      this.shell.deliver({ type: 'account known', key: attempt.key, login });
  }

  /**
   * Writes an intent before its send; resolves once it is on disk. If it cannot be written, a request that only reduces
   * risk passes and any other is denied.
   * @throws ApiError journal_unavailable, journal_lost, or key_void if its key was made void since the reservation
   */
  async record(attempt: TradeAttempt, intent: NewIntent): Promise<JournaledRequest> {
    if (!this.room.isOpen && !reducesRisk(intent.purpose)) await this.room.require();
    const facts = fenceFacts(attempt.fence);
    const { key } = attempt;
    const event = (id: string): CoreEventBody => ({ type: 'intended', key, id, intent, facts });
    const { effects, error } = await this.ofRunning(attempt, 'send', event);
    const submitted = effects.find((effect) => effect.type === 'submit');
    const sent = submitted && attempt.intents.get(submitted.intentId);
    if (sent) return sealRequest(sent.id, sent.request);
    throw new ApiError('journal_unavailable', 'the trade journal cannot be written: no new trades are accepted', {
      cause: error,
    });
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
    await this.noteIgnored(await this.shell.run(this.settled(attempt, intentId, outcome, event, false)), event);
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
    answerOf: (attempt: TradeAttempt) => { readonly status: 'recovered' | 'absent'; readonly response: StoredAnswer },
  ): Promise<void> {
    const effects = this.shell.deliver(this.settled(attempt, intentId, outcome, event, true));
    if (await this.noteIgnored({ effects, error: null }, event)) return;
    const { status, response } = answerOf(attempt);
    await this.resolve(attempt, status, response, ...(event ? [event] : []));
  }

  /**
   * Keeps the final answer, before it is sent. While an outcome is open, the request stays unknown, to be resolved.
   * @throws ApiError key_void if nothing was sent and the key was made void since the reservation
   */
  async complete(attempt: TradeAttempt, response: StoredAnswer): Promise<void> {
    const { key } = attempt;
    await this.ofRunning(attempt, 'be answered', (id) => ({ type: 'answered', key, id, response }));
    // Outcomes that are still being written belong to it.
    await attempt.recorded;
  }

  /**
   * Resolves an unknown request: recovered, absent, undecidable, or accepted as unknown by an operator. Replays return
   * this answer from now on.
   * @param events what led to it, recorded with it
   * @throws Error when the request cannot get the status
   */
  async resolve(
    attempt: TradeAttempt,
    status: Resolution,
    response: StoredAnswer,
    ...events: readonly AuditEvent[]
  ): Promise<void> {
    this.shell.takeUp(attempt);
    const from = attempt.record.status;
    const { effects } = await this.shell.run({ type: 'resolved', key: attempt.key, status, response, events });
    if (refusalIn(effects)) throw new Error(`a trade request cannot go from ${from} to ${status}`);
    await attempt.recorded;
  }

  /**
   * Removes a request of which nothing can have reached the broker. Its key stays bound to its parameters, and the same
   * request is checked again.
   * @throws Error if one of its sends may have been executed
   */
  async release(attempt: TradeAttempt): Promise<void> {
    const { key, record } = attempt;
    const { effects } = await this.shell.run({ type: 'released', key, id: record.id });
    const refusal = refusalIn(effects);
    if (refusal) throw new Error(`a trade request cannot be released: ${refusal}`);
  }

  /** Binds the key of a request that was refused before its reservation, unless the key has a record. */
  bind(identity: TradeIdentity): void {
    const key = identity.clientOrderId;
    if (key !== null) void this.shell.run({ type: 'refused', identity, stored: this.storedKey(key) });
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
    const { error } = await this.shell.run(this.voidAsked(key, login, event));
    if (error) {
      const message = 'the trade journal cannot be written: the key is not void';
      throw new ApiError('journal_unavailable', message, { cause: error });
    }
    const known = this.lookUp(key);
    if (!known) throw new Error('a written void is missing');
    return known;
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
    if (key.length > longestKey) return undefined;
    return this.shell.core.known(key, this.storedKey(key), this.runningTime.nowMs());
  }

  /** The journal's key for a name: a client's key, or the journal's id of a request without one. */
  keyNamed(name: string): string {
    return this.lookUp(name) ? name : keyOfNameless(name);
  }

  /** The request under a key of the journal; undefined if it is settled and on disk. */
  openRequest(key: string): TradeAttempt | undefined {
    return this.shell.find(key);
  }

  /** Requests with an unknown outcome and no running handler, oldest first. */
  unresolved(): TradeAttempt[] {
    return this.shell
      .all()
      .filter(({ running, record }) => !running && record.status === 'unknown')
      .sort((a, b) => a.record.createdAtMs - b.record.createdAtMs);
  }

  /** Requests with a running handler. */
  running(): TradeAttempt[] {
    return this.shell.all().filter(({ running }) => running);
  }

  /** The intent that an order ticket belongs to, also while that is being written. */
  claim(ticket: number): TicketClaim | undefined {
    const { claims, audited } = this.shell.core.state;
    return claims.get(ticket)?.claim ?? this.store.claim(ticket) ?? audited.get(ticket);
  }

  /** Grows with every change of the claims. */
  get claimsRevision(): number {
    return this.shell.core.state.claimsRevision;
  }

  /** The client's key of the request that created an order or position; null if none is on record. */
  clientOrderIdOf(ticket: number): string | null {
    const isShown = this.shell.core.state.claims.get(ticket)?.isShown ?? true;
    return isShown ? (this.claim(ticket)?.clientOrderId ?? null) : null;
  }

  /** Removes expired entries, and retries failed writes. */
  async sweep(): Promise<void> {
    await this.shell.run({ type: 'disk tried' });
    // The reserve of a full disk is for closes and cancels.
    if (!this.isWritable) return;
    await this.retention.moveLegacy();
    await this.retention.sweep();
  }

  /** Whether the disk has the space that new risk needs, as of the last write or probe. */
  get isWritable(): boolean {
    return this.room.isWritable;
  }

  /** Stores the running time, then closes the file. */
  async close(): Promise<void> {
    if (!this.isWritable) await this.room.probe();
    await this.shell.run({ type: 'disk tried' });
    await this.shell.idle();
    await this.intents.keepRunningTime();
    await this.store.close();
    await this.recording?.end?.();
  }

  /**
   * Delivers an event of a request that a handler runs, again once a void of its key that is being written is decided.
   * @throws ApiError key_void, or Error if the request has ended
   */
  private async ofRunning(
    attempt: TradeAttempt,
    what: string,
    event: (requestId: string) => CoreEventBody,
  ): Promise<Performed> {
    for (;;) {
      const { status, id } = attempt.record;
      if (!this.shell.has(attempt)) throw new Error(`a request that is ${status} cannot ${what}`);
      const performed = await this.shell.run(event(id));
      if (performed.effects.some(({ type }) => type === 'wait')) continue;
      const refusal = refusalIn(performed.effects);
      if (refusal === 'key_void') throw keyIsVoid(attempt.key);
      if (refusal) throw new Error(`a request that is ${status} cannot ${what}`);
      return performed;
    }
  }

  private settled(
    attempt: TradeAttempt,
    intentId: string,
    outcome: SettledOutcome,
    event: AuditEvent | null,
    isAnswered: boolean,
  ): CoreEventBody {
    const intent = attempt.intents.get(intentId);
    if (!intent) throw new Error(`no intent ${intentId}`);
    this.shell.takeUp(attempt);
    const claims = this.storedClaims([{ ...intent, outcome }]);
    return { type: 'settled', key: attempt.key, intentId, outcome, event, isAnswered, claims };
  }

  /** @returns whether an earlier outcome stands */
  private async noteIgnored({ effects }: Performed, event: AuditEvent | null): Promise<boolean> {
    const ignored = effects.find((effect) => effect.type === 'ignore');
    if (!ignored) return false;
    const { intent, outcome } = ignored;
    const facts = { intent_id: intent.id, settled: intent.outcome.kind, outcome: outcome.kind };
    this.log.error(facts, 'an outcome that came after the send was settled is ignored');
    await this.writer.noted(event);
    return true;
  }

  private voidAsked(
    key: string,
    login: number | null,
    event: AuditEvent | null,
    askedAtMs = this.clock.nowMs(),
  ): CoreEventBody {
    return { type: 'void asked', key, login, event, askedAtMs, stored: this.storedKey(key) };
  }

  /** What the disk has of a key. The request of a key that only the broker's books show is taken up in memory. */
  private storedKey(key: string): StoredKey {
    const stored = { record: this.store.request(key) ?? null, memory: this.store.keys.memory(key) ?? null };
    const { core } = this.shell;
    if (core.known(key, stored, this.runningTime.nowMs())) return stored;
    const lost = this.lostKeys.find(key, this.clock.nowMs());
    // It is written with its outcome; until then, the books have it.
    if (lost) this.shell.deliver({ type: 'found', ...lost, isWritten: false });
    return stored;
  }

  /** The claims of the tickets that some sends may concern, with the magic numbers that earlier versions did not write. */
  private storedClaims(intents: readonly IntentRecord[]): [number, TicketClaim][] {
    return intents.flatMap(ticketsOf).flatMap((ticket): [number, TicketClaim][] => {
      const claim = this.claim(ticket);
      if (!claim) return [];
      const magic = claim.magic ?? this.store.intent(claim.intentId)?.request.magic;
      return [[ticket, magic === undefined ? claim : { ...claim, magic }]];
    });
  }
}

const nothingStored: StoredKey = { record: null, memory: null };

function refusalIn(effects: Performed['effects']): string | null {
  return effects.find((effect) => effect.type === 'refuse')?.refusal ?? null;
}
