import {
  freeKey,
  isOpenStatus,
  statusOf,
  step,
  storedLife,
  type Effect,
  type RequestEvent,
  type RequestLife,
  type Step,
} from '@libs/request-life';
import type { AuditEvent } from '../audit/audit-event';
import type { Change, CoreEffect, CoreEvent, Moment, Resolution, StoredAnswer } from './core-event';
import { admit, endEntry, noteEntry, overtakeEntries, takeUpEntries, takeView } from './counted-entries';
import { fenceChanges, missingFences, problemOfSend, raisingWrite, withMovedMagics } from './fence-state';
import { decideRaise } from './fence-rules';
import type { StoredFence } from './fence';
import {
  keyOfNameless,
  reducesRisk,
  unanswered,
  unknownBecause,
  type IntentRecord,
  type TradeIdentity,
  type TradeRequestRecord,
} from './journal-records';
import { bind, bindingOf, takeChanges } from './refused-bindings';
import {
  isForgotten,
  isSameRequest,
  knownKey,
  lifeOfKey,
  shortFingerprint,
  unknownFingerprint,
  type KnownKey,
  type StoredKey,
} from './known-key';
import { forgetLate, noteLate } from './late-sends';
import { rowChanges } from './request-rows';
import { claim, dropWrittenClaim, noteTicket, showClaim } from './ticket-claims';
import { intentEvent, outcomeEvent } from './trade-events';
import {
  begunRequest,
  emptyState,
  hasEnded,
  isRunning,
  isUnwritten,
  lifeOf,
  requestRow,
  sendStateOf,
  storedRequest,
  type LiveRequest,
  type TradeState,
  type Write,
} from './trade-state';

type Of<Type extends CoreEvent['type']> = Extract<CoreEvent, { readonly type: Type }>;

/** What the effects of a move do here. */
type Deeds = Readonly<Partial<Record<Effect, () => void>>>;

interface Turn {
  readonly at: Moment;
  readonly out: CoreEffect[];
}

/**
 * The decisions on trade requests: events in, effects out. It owns keys, requests, sends, the claims of tickets, fences, and what counts against the entry limits. It has
 * no clock, does no I/O and waits for nothing, so that the same events always give the same effects.
 *
 * What may happen under a key is decided by the table of `libs/request-life` alone; the effects of its moves are what is
 * written, sent, answered and reported. A send is submitted only by the end of the write of its intent.
 */
export class TradeCore {
  /**
   * @param responseTtlMs how long the answer to a settled request is kept, and a refused key bound, in running time
   * @param state of another core, or that of a start
   */
  constructor(
    readonly responseTtlMs: number,
    readonly state: TradeState = emptyState(),
  ) {}

  /** Handles an event. @param out receives its effects, in the order in which they are to be performed */
  handle(event: CoreEvent, out: CoreEffect[]): void {
    const turn = { at: event.at, out };
    switch (event.type) {
      case 'opened':
        for (const [hash, binding] of event.refused) this.state.refused.set(hash, binding);
        for (const [name, fence] of event.fences) this.state.fences.set(name, fence);
        return;
      case 'claims found':
        this.state.audited = new Map(event.claims);
        this.state.claimsRevision++;
        return;
      case 'recalled':
        for (const intent of event.intents) {
          noteTicket(this.state, intent);
          noteLate(this.state, intent, intent.writtenAtRunningMs ?? 0);
        }
        return takeUpEntries(this.state, event.intents, event.at.runningMs);
      case 'found':
        this.find(event);
        return;
      case 'restarted':
        return this.restart(event, turn);
      case 'requested':
        return this.request(event, turn);
      case 'refused':
        return this.refuse(event, turn);
      case 'account known':
        return this.bindAccount(event);
      case 'intended':
        return this.intend(event, turn);
      case 'settled':
        return this.settle(event, turn);
      case 'answered':
        return this.answer(event, turn);
      case 'resolved':
        return this.resolve(event, turn);
      case 'released':
        return this.release(event, turn);
      case 'void asked':
        return this.makeVoid(event, turn);
      case 'fences found':
        return this.takeUpFences(event, turn);
      case 'fence asked':
        return this.raiseFence(event, turn);
      case 'sending':
        return this.beginSend(event, turn);
      case 'entry asked':
        return this.askEntry(event, turn);
      case 'entry ended':
        return endEntry(this.state, event.requestId, event.at.runningMs);
      case 'account viewed':
        return takeView(this.state, event.view, event.at.runningMs);
      case 'persisted':
        return this.writeEnded(event.write, true, turn);
      case 'persist failed':
        return this.writeFailed(event.write, turn);
      case 'kept in log':
        return this.keptInLog(event, turn);
      case 'disk tried':
        return this.writeAgain(turn);
      case 'time passed':
        return this.forget(event, turn);
    }
  }

  /** The record of a key. */
  known(key: string, stored: StoredKey, runningMs: number): KnownKey | undefined {
    return knownKey(this.state, key, stored, runningMs, this.responseTtlMs);
  }

  private find({ record, intents, isWritten }: Of<'found'>): LiveRequest {
    const request = this.state.requests.get(record.key) ?? storedRequest(record, intents);
    if (!isWritten) for (const row of [requestRow, ...request.intents.keys()]) request.rows.set(row, new Set());
    this.state.requests.set(record.key, request);
    return request;
  }

  /** An open request becomes unknown, to be looked up; one that has ended is written as such. */
  private restart(event: Of<'restarted'>, turn: Turn): void {
    const { record, interrupted } = event;
    const request = this.find({ ...event, type: 'found' });
    for (const [id, outcome] of event.outcomes) {
      // A client may have been answered with it, so it is not looked up again.
      if (this.move(request, { kind: 'settle', send: id, outcome: sendStateOf(outcome) }).kind === 'refused') continue;
      const intent = request.intents.get(id);
      if (!intent) continue;
      request.intents.set(id, { ...intent, outcome });
      for (const row of [id, requestRow]) request.rows.set(row, new Set());
    }
    const result = this.move(request, { kind: 'restart' });
    const events: AuditEvent[] = [];
    const changed: string[] = [];
    for (const intent of request.intents.values()) {
      if (request.rows.has(intent.id)) claim(this.state, request, intent, event.claims, true);
      if (intent.outcome.kind !== 'pending') continue;
      const outcome = unknownBecause(interrupted.reason);
      request.intents.set(intent.id, { ...intent, outcome });
      changed.push(intent.id);
      events.push(outcomeEvent(record, intent, outcome, null));
      turn.out.push({ type: 'cut short', record, intent });
    }
    if (record.status === 'in_progress') {
      const { status: responseStatus, body: response } = interrupted;
      request.record = { ...record, status: 'unknown', responseStatus, response };
    }
    this.perform(result, { write_answer: () => this.append(request, [requestRow, ...changed], events, turn) });
    // Its end was written in part, or only to the audit log.
    if (isUnwritten(request)) this.append(request, [requestRow], events, turn);
  }

  private request({ identity, id, isFenced, stored, at }: Of<'requested'>, turn: Turn): void {
    const { clientOrderId: key } = identity;
    if (key === null) return this.begin(identity, id, step(freeKey, { kind: 'reserve', sameRequest: true }), turn);
    this.adapt(key, identity);
    const known = this.known(key, stored, at.runningMs);
    const bound = known ? undefined : bindingOf(this.state, key, at.runningMs, this.responseTtlMs);
    const before = known?.kind === 'request' ? known.record : (known?.entry ?? bound);
    const sameRequest = bound
      ? bound.fingerprint === shortFingerprint(identity.fingerprint)
      : !before || isSameRequest(before, identity);
    const result = step(lifeOfKey(this.state, key, known), { kind: 'reserve', sameRequest, isFenced });
    if (result.kind === 'refused') {
      const first = { route: before?.route ?? null, createdAtMs: before?.createdAtMs ?? null };
      turn.out.push({ type: 'refuse', refusal: result.refusal, first });
    } else if (known) {
      this.perform(result, { answer: () => turn.out.push({ type: 'answer', known }) });
    } else this.begin(identity, id, result, turn);
  }

  private begin(identity: TradeIdentity, id: string, result: Step, { at, out }: Turn): void {
    if (result.kind === 'refused') throw new Error(`a request without a key is ${result.refusal}`);
    const record: TradeRequestRecord = {
      ...identity,
      id,
      key: identity.clientOrderId ?? keyOfNameless(id),
      ...unanswered(at.utcMs),
    };
    this.state.requests.set(record.key, begunRequest(record, result.life.state));
    out.push({ type: 'begin', key: record.key });
  }

  /**
   * Closes of all kinds leave the same trace, and a request in the terminal's form that of what it does: until its outcome is known,
   * such a request is the one that is asked for.
   */
  private adapt(key: string, { method, path, route }: TradeIdentity): void {
    const request = this.state.requests.get(key);
    if (request?.record.status !== 'unknown' || request.record.fingerprint !== unknownFingerprint) return;
    const isClose = closingRoutes.includes(request.record.route) && closingRoutes.includes(route);
    if (isClose || route === 'POST /order_send') {
      request.record = { ...request.record, method, path, route };
    }
  }

  private refuse({ identity, stored, at }: Of<'refused'>, turn: Turn): void {
    const key = identity.clientOrderId;
    if (key !== null && !this.known(key, stored, at.runningMs)) this.bindKey(key, identity, turn);
  }

  private bindKey(key: string, identity: TradeIdentity, turn: Turn): void {
    if (bind(this.state, key, identity, turn.at, this.responseTtlMs)) this.writeRefusals(turn);
  }

  /** Binds a request to the account that its send goes to, unless it is bound to one. */
  private bindAccount({ key, login }: Of<'account known'>): void {
    const request = this.live(key);
    request.record = { ...request.record, login: request.record.login ?? login };
  }

  private intend({ key, id, intent, facts, at }: Of<'intended'>, turn: Turn): void {
    const request = this.handled(key, id);
    const intentId = `${id}/${request.sends}`;
    const result = this.move(request, { kind: 'intend', send: intentId });
    if (result.kind === 'refused') return this.waitOrRefuse(key, result.refusal, turn);
    request.sends++;
    const record: IntentRecord = {
      ...intent,
      id: intentId,
      key,
      createdAtMs: at.utcMs,
      writtenAtRunningMs: this.stamp(at.runningMs),
      outcome: { kind: 'pending' },
    };
    overtakeEntries(this.state, record);
    const event = { ...intentEvent(request.record, intentId, intent), ...facts };
    this.perform(result, { write_intent: () => this.appendIntent(request, record, event, turn) });
  }

  private settle({ key, intentId, outcome, event, isAnswered, claims, at }: Of<'settled'>, turn: Turn): void {
    const request = this.live(key);
    const before = request.intents.get(intentId);
    if (!before) throw new Error(`no intent ${intentId}`);
    const result = this.move(request, { kind: 'settle', send: intentId, outcome: sendStateOf(outcome) });
    if (result.kind === 'refused') {
      turn.out.push({ type: 'ignore', intent: before, outcome });
      return this.dropEnded(request);
    }
    const settled = { ...before, outcome };
    request.intents.set(intentId, settled);
    request.settledAtMs.set(intentId, at.runningMs);
    request.unshown = [...request.unshown, settled];
    noteTicket(this.state, settled);
    noteEntry(this.state, request.record.id, settled);
    noteLate(this.state, settled, at.runningMs);
    claim(this.state, request, settled, claims, false);
    this.perform(result, {
      write_outcome: () => {
        if (isAnswered) request.rows.set(intentId, new Set());
        else this.append(request, [intentId], event ? [event] : [], turn);
      },
    });
  }

  private answer({ key, id, response }: Of<'answered'>, turn: Turn): void {
    const request = this.handled(key, id);
    const result = this.move(request, { kind: 'answer', unknown: response.status === 502 });
    if (result.kind === 'refused') return this.waitOrRefuse(key, result.refusal, turn);
    this.perform(result, { write_answer: () => this.conclude(request, response, [], turn) });
  }

  private resolve({ key, status, response, events }: Of<'resolved'>, turn: Turn): void {
    const request = this.live(key);
    const event = { kind: moves[status] };
    const decided = step(lifeOf(request), event);
    if (decided.kind === 'refused' || statusOf(decided.life.state) !== status) {
      turn.out.push({ type: 'refuse', refusal: 'impossible', first: request.record });
      return this.dropEnded(request);
    }
    this.perform(this.move(request, event), { write_answer: () => this.conclude(request, response, events, turn) });
  }

  private conclude(request: LiveRequest, answer: StoredAnswer, events: readonly AuditEvent[], turn: Turn): void {
    const { record } = request;
    const status = statusOf(request.state);
    if (status === null) throw new Error(`there is no answer to a request that is ${request.state}`);
    const isOpen = isOpenStatus(status);
    request.record = {
      ...record,
      status,
      settledAtMs: isOpen ? null : (record.settledAtMs ?? turn.at.utcMs),
      ...(isOpen ? {} : { settledAtRunningMs: record.settledAtRunningMs ?? turn.at.runningMs }),
      responseStatus: answer.status,
      response: answer.body,
    };
    this.append(request, [requestRow], events, turn);
  }

  /** A request with an intent on disk keeps its key busy until it is removed. */
  private release({ key, id }: Of<'released'>, turn: Turn): void {
    const request = this.handled(key, id);
    const decided = step(lifeOf(request), { kind: 'release' });
    if (decided.kind === 'refused') {
      turn.out.push({ type: 'refuse', refusal: decided.refusal, first: request.record });
    } else if (decided.effects.includes('remove_request') && request.intents.size > 0) {
      const changes: Change[] = [
        { remove: 'request', id: key },
        { remove: 'open', id: key },
      ];
      this.write({ kind: 'release', key }, changes, [], turn);
    } else this.removeRequest(request, turn);
  }

  private removeRequest(request: LiveRequest, turn: Turn): void {
    const { key } = request.record;
    this.state.requests.delete(key);
    this.perform(this.move(request, { kind: 'release' }), {
      remove_request: () => undefined,
      bind_key: () => {
        if (request.record.clientOrderId !== null) this.bindKey(key, request.record, turn);
      },
    });
  }

  private makeVoid({ key, login, event, stored, askedAtMs, at }: Of<'void asked'>, turn: Turn): void {
    const live = this.state.requests.get(key);
    const isVoid = { kind: 'void' } as const;
    const known = this.known(key, stored, at.runningMs);
    const result = live ? this.move(live, isVoid) : step(lifeOfKey(this.state, key, known), isVoid);
    this.perform(result, {
      report: () => turn.out.push({ type: 'report', key }),
      write_void: () => {
        const write = this.state.voiding.get(key);
        if (write !== undefined) return void turn.out.push({ type: 'wait', write });
        const entry = {
          ...({ status: 'void', route: 'PUT /trade_requests/:key/void', responseStatus: 422, ticket: null } as const),
          fingerprint: '',
          login,
          createdAtMs: askedAtMs,
          endedAtRunningMs: at.runningMs,
        };
        const n = this.write({ kind: 'void', key }, [{ put: 'key', key, entry }], event ? [event] : [], turn);
        this.state.voiding.set(key, n);
      },
    });
  }

  private askEntry({ requestId, order, view, limits, at }: Of<'entry asked'>, { out }: Turn): void {
    takeView(this.state, view, at.runningMs);
    const refusal = admit(this.state, requestId, order, view, limits, at.runningMs);
    out.push(refusal ? { type: 'refuse entry', refusal } : { type: 'admit' });
  }

  /** They hold at once: the disk may fail. */
  private takeUpFences({ fences }: Of<'fences found'>, turn: Turn): void {
    const missing = missingFences(this.state, fences);
    if (missing.size === 0) return;
    this.keepFences(missing);
    this.write({ kind: 'fences', fences: missing, isRaise: false }, fenceChanges(missing), [], turn);
  }

  private raiseFence({ name, wanted, cause, losses, at }: Of<'fence asked'>, turn: Turn): void {
    const { fences, raising } = this.state;
    if (raising) return void turn.out.push({ type: 'wait', write: raising.write });
    const raise = decideRaise(fences.get(name), wanted, losses, at.utcMs);
    if (raise.kind === 'same') return;
    if (raise.kind === 'raise') {
      const { token, magics } = raise.fence;
      const facts = { fence: name, fence_token: token, fence_magics: magics };
      const changed = withMovedMagics(this.state, name, raise.fence);
      return this.writeFences(changed, [{ event: 'fence_raised', ...cause, ...facts }], turn);
    }
    if (raise.kind === 'conflict' && raise.seen) this.writeFences(new Map([[name, raise.seen]]), [], turn);
    turn.out.push({ type: 'refuse fence', raise });
  }

  private writeFences(fences: ReadonlyMap<string, StoredFence>, events: readonly AuditEvent[], turn: Turn): void {
    const write = this.write({ kind: 'fences', fences, isRaise: true }, fenceChanges(fences), events, turn);
    this.state.raising = { write, fences };
  }

  private keepFences(fences: ReadonlyMap<string, StoredFence>): void {
    for (const [name, fence] of fences) this.state.fences.set(name, fence);
  }

  private beginSend({ intentId, claim, magics, losses }: Of<'sending'>, { out }: Turn): void {
    const write = raisingWrite(this.state, claim, magics);
    if (write !== null) return void out.push({ type: 'wait', write });
    const problem = problemOfSend(this.state, claim, magics, losses);
    if (problem) out.push({ type: 'fence off', problem });
    else this.state.sending.set(intentId, { claim, magics });
  }

  private writeFailed(n: number, turn: Turn): void {
    const write = this.state.writes.get(n);
    const isKept =
      write?.kind === 'intent' ? reducesRisk(write.intent.purpose) : write?.kind === 'rows' && write.hasEvents;
    if (isKept) turn.out.push({ type: 'keep in log', write: n });
    else this.writeEnded(n, false, turn);
  }

  private keptInLog({ write: n, isKept }: Of<'kept in log'>, turn: Turn): void {
    const write = this.state.writes.get(n);
    if (write?.kind === 'intent') this.live(write.key).isRemembered = isKept;
    this.writeEnded(n, false, turn);
  }

  private writeEnded(n: number, isOnDisk: boolean, turn: Turn): void {
    const write = this.state.writes.get(n);
    if (!write) throw new Error(`no write ${n}`);
    this.state.writes.delete(n);
    switch (write.kind) {
      case 'intent':
        return this.intentEnded(write, n, isOnDisk, turn);
      case 'rows':
        return this.rowsEnded(write, n, isOnDisk, turn);
      case 'release':
        return this.removeRequest(this.live(write.key), turn);
      case 'void': {
        const { key } = write;
        this.state.voiding.delete(key);
        const live = this.state.requests.get(key);
        if (live) this.move(live, { kind: isOnDisk ? 'void_durable' : 'void_failed' });
        return;
      }
      case 'fences':
        if (!write.isRaise) return;
        this.state.raising = null;
        if (isOnDisk) this.keepFences(write.fences);
        return;
      case 'refusals':
        this.state.refusalWrite = null;
        return this.writeRefusals(turn);
      case 'retention':
        return;
    }
  }

  private intentEnded(
    { key, intent }: Extract<Write, { readonly kind: 'intent' }>,
    n: number,
    isOnDisk: boolean,
    turn: Turn,
  ): void {
    const request = this.live(key);
    this.rowsWritten(request, n, isOnDisk);
    const { id: send, purpose } = intent;
    const event: RequestEvent = isOnDisk
      ? { kind: 'intent_durable', send }
      : { kind: 'intent_failed', send, reducesRisk: reducesRisk(purpose) };
    const result = this.move(request, event);
    // Its handler has answered meanwhile: nothing is sent.
    if (result.kind === 'refused') return this.followEnd(request);
    this.perform(result, {
      submit: () => {
        request.intents.set(send, intent);
        noteEntry(this.state, request.record.id, intent);
        if (!isOnDisk) for (const row of [requestRow, send]) request.rows.set(row, new Set());
        turn.out.push({ type: 'submit', key, intentId: send });
      },
    });
  }

  private rowsEnded(
    { key, settled }: Extract<Write, { readonly kind: 'rows' }>,
    n: number,
    isOnDisk: boolean,
    turn: Turn,
  ): void {
    const request = this.state.requests.get(key);
    // A request that did nothing may be released before the line of its outcome is written; the key may be another one's by then.
    const isHere = request?.writes.has(n) === true;
    if (isHere) this.rowsWritten(request, n, isOnDisk);
    for (const intent of settled) {
      if (isHere) showClaim(this.state, request, intent.id);
      this.state.sending.delete(intent.id);
      turn.out.push({ type: 'show', intent });
    }
    if (isHere) this.followEnd(request);
  }

  /** A write of a request has ended: once none is in flight, its answer is kept. */
  private followEnd(request: LiveRequest): void {
    const isAnswering = request.state === 'answering' || request.state === 'answering_unknown';
    if (isAnswering && request.writes.size === 0) {
      this.perform(this.move(request, { kind: 'answer_kept' }), {});
    }
    this.dropEnded(request);
  }

  private dropEnded(request: LiveRequest): void {
    if (hasEnded(request)) this.state.requests.delete(request.record.key);
  }

  private rowsWritten(request: LiveRequest, n: number, isOnDisk: boolean): void {
    request.writes.delete(n);
    for (const [row, writes] of request.rows) {
      if (!writes.delete(n) || !isOnDisk) continue;
      request.rows.delete(row);
      dropWrittenClaim(this.state, request, row);
    }
  }

  /** What could not be written is written later, while no handler works on the request. */
  private writeAgain(turn: Turn): void {
    for (const request of this.state.requests.values()) {
      if (isUnwritten(request) && !isRunning(request)) this.append(request, [], [], turn);
    }
  }

  /** Removes what has expired, and forgets the used keys whose time has passed. */
  private forget({ ended, keys, at: { runningMs } }: Of<'time passed'>, turn: Turn): void {
    const changes: Change[] = [];
    for (const { settled, ...entry } of ended) {
      const { kind, id } = entry;
      changes.push({ remove: 'lifetime', entry });
      if (kind !== 'request') changes.push({ remove: kind === 'ticket' ? 'claim' : 'intent', id });
      if (!settled) continue;
      // The setting may have changed since; its current value applies.
      const untilMs = settled.runningMs + this.responseTtlMs;
      if (untilMs > runningMs) changes.push({ put: 'lifetime', kind, id, untilMs });
      else {
        const result = step(storedLife(settled.status, {}), { kind: 'expire_response' });
        this.perform(result, { remove_response: () => changes.push({ remove: 'request', id }) });
      }
    }
    for (const { hash, status, endedAtRunningMs } of keys) {
      if (!isForgotten(endedAtRunningMs, runningMs)) continue;
      const life = status === 'void' ? voidKey : storedLife(status, {});
      if (step(life, { kind: 'forget' }).kind === 'moved') changes.push({ remove: 'key', id: hash });
    }
    this.write({ kind: 'retention' }, changes, [], turn);
    forgetLate(this.state, runningMs);
    this.state.claimsRevision++;
  }

  private writeRefusals(turn: Turn): void {
    if (this.state.refusalWrite !== null || this.state.unwrittenRefusals.size === 0) return;
    this.state.refusalWrite = this.write({ kind: 'refusals' }, takeChanges(this.state), [], turn);
  }

  private appendIntent(request: LiveRequest, intent: IntentRecord, event: AuditEvent, turn: Turn): void {
    const { key } = request.record;
    const changes: Change[] = [
      { put: 'request', record: request.record },
      { put: 'open', key },
      { put: 'intent', intent },
    ];
    const unwritten = this.rowsFor(request, []);
    const n = this.write(
      { kind: 'intent', key, intent },
      [...changes, ...rowChanges(request, unwritten, turn.at.runningMs, this.responseTtlMs)],
      [event],
      turn,
    );
    this.writing(request, unwritten, n);
  }

  /** Writes rows that changed, and those that could not be written before. */
  private append(request: LiveRequest, changed: readonly string[], events: readonly AuditEvent[], turn: Turn): void {
    const { key } = request.record;
    for (const row of changed) request.rows.set(row, new Set());
    const rows = this.rowsFor(request, changed);
    const settled = request.unshown;
    request.unshown = [];
    const n = this.write(
      { kind: 'rows', key, settled, hasEvents: events.length > 0 },
      rowChanges(request, rows, turn.at.runningMs, this.responseTtlMs),
      events,
      turn,
    );
    this.writing(request, rows, n);
  }

  /** An answer has all rows that are not on disk yet: their own write may fail. */
  private rowsFor({ rows }: LiveRequest, changed: readonly string[]): ReadonlySet<string> {
    const found = [...rows]
      .filter(([, writes]) => writes.size === 0 || changed.includes(requestRow))
      .map(([row]) => row);
    // With an outcome and without its request, the key would be free after a crash.
    const isWhole = found.some((row) => !changed.includes(row));
    return new Set(isWhole ? [requestRow, ...found] : found);
  }

  private writing(request: LiveRequest, rows: ReadonlySet<string>, n: number): void {
    request.writes.add(n);
    for (const row of rows) request.rows.set(row, (request.rows.get(row) ?? new Set()).add(n));
  }

  private write(write: Write, changes: readonly Change[], events: readonly AuditEvent[], { out }: Turn): number {
    const n = ++this.state.lastWrite;
    this.state.writes.set(n, write);
    const key = 'key' in write ? write.key : null;
    out.push({ type: 'append', write: n, key, kind: write.kind, changes, events });
    return n;
  }

  private waitOrRefuse(key: string, refusal: Extract<Step, { kind: 'refused' }>['refusal'], { out }: Turn): void {
    const write = this.state.voiding.get(key);
    if (refusal === 'void_undecided' && write !== undefined) out.push({ type: 'wait', write });
    else out.push({ type: 'refuse', refusal, first: this.live(key).record });
  }

  /** Takes one step. A refused step changes nothing. */
  private move(request: LiveRequest, event: RequestEvent): Step {
    const result = step(lifeOf(request), event);
    if (result.kind === 'moved') follow(request, result.life);
    return result;
  }

  /** Does what the table asks for. */
  private perform(result: Step, deeds: Deeds): void {
    if (result.kind === 'refused') throw new Error(`a step is refused: ${result.refusal}`);
    for (const effect of result.effects) {
      const deed = deeds[effect];
      if (!deed) throw new Error(`a step wants to ${effect}`);
      deed();
    }
  }

  /** A request of which its handler has more to say. Once it is released, nothing may be sent or answered under it. */
  private handled(key: string, id: string): LiveRequest {
    const isReleased = [...this.state.writes.values()].some((write) => write.kind === 'release' && write.key === key);
    if (isReleased) throw new Error(`request ${key} is released`);
    return this.live(key, id);
  }

  /** @param id of the request; another one may have its key by now */
  private live(key: string, id?: string): LiveRequest {
    const request = this.state.requests.get(key);
    if (!request || (id !== undefined && request.record.id !== id)) throw new Error(`no request ${key}`);
    return request;
  }

  /** Running time that no two intents share, so that it is known which was written first. */
  private stamp(runningMs: number): number {
    this.state.lastStampMs = Math.max(runningMs, this.state.lastStampMs + 1);
    return this.state.lastStampMs;
  }
}

const voidKey: RequestLife = { state: 'void', sends: {} };
const closingRoutes = ['POST /close_position', 'POST /position_close_partial', 'POST /close_all_positions'];

const moves: Readonly<Record<Resolution, 'conclude' | 'give_up' | 'accept'>> = {
  recovered: 'conclude',
  absent: 'conclude',
  unknown: 'give_up',
  accepted: 'accept',
};

function follow(request: LiveRequest, { state, sends }: RequestLife): void {
  request.state = state;
  const without = Object.entries(sends).filter(([, send]) => send === 'writing' || send === 'unwritten');
  request.withoutRecord = Object.fromEntries(without);
}
