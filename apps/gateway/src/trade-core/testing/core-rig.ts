import { tradeRequest, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { Change, CoreEffect, CoreEventBody, StoredClaims } from '../core-event';
import { CoreReplay, eventLine, stateLine } from '../core-recording';
import {
  reducesRisk,
  type IntentRecord,
  type NewIntent,
  type SettledOutcome,
  type TicketClaim,
  type TradeIdentity,
  type TradeRequestRecord,
} from '../journal-records';
import type { RememberedKey, StoredKey } from '../known-key';
import { ticketsOf } from '../ticket-claims';
import { TradeCore } from '../trade-core';
import { isRunning } from '../trade-state';

type Append = Extract<CoreEffect, { readonly type: 'append' }>;

export const responseTtlMs = 60_000;

/** A disk that has what was written, of which the rows of requests and intents are read. */
class ModelDisk {
  readonly requests = new Map<string, TradeRequestRecord>();
  readonly intents = new Map<string, IntentRecord>();
  readonly claims = new Map<number, TicketClaim>();
  readonly open = new Set<string>();
  readonly keys = new Map<string, RememberedKey>();

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if ('remove' in change) this.remove(change);
      else if (change.put === 'request') this.requests.set(change.record.key, change.record);
      else if (change.put === 'intent') this.intents.set(change.intent.id, change.intent);
      else if (change.put === 'claim') this.claims.set(change.ticket, change.claim);
      else if (change.put === 'open') this.open.add(change.key);
      else if (change.put === 'key') this.keys.set(change.key, change.entry);
    }
  }

  keyOf(key: string): StoredKey {
    return { record: this.requests.get(key) ?? null, memory: this.keys.get(key) ?? null };
  }

  private remove(change: Extract<Change, { readonly remove: unknown }>): void {
    if (change.remove === 'request') this.requests.delete(change.id);
    if (change.remove === 'open') this.open.delete(change.id);
  }
}

/** A request that a client makes under a key. */
export function identityOf(key: string, fingerprint: string): TradeIdentity {
  const caller = { requestId: 'r', login: 1, method: 'POST', path: '/order', route: 'POST /order' };
  return { ...caller, clientOrderId: key, fingerprint: fingerprint.padEnd(16, '0') };
}

/** A trade core with a disk and a broker, whose writes end when the test says; every event is replayed by a second core. */
export class CoreRig {
  core = new TradeCore(responseTtlMs);
  readonly disk = new ModelDisk();
  /** Writes under way, the oldest first. */
  readonly writes: Append[] = [];
  /** Writes that have ended, of which the core does not know yet. */
  private readonly untold: Extract<CoreEventBody, { readonly type: 'persisted' | 'persist failed' }>[] = [];
  /** Intents that were sent. */
  readonly sent = new Set<string>();
  /** Outcomes that were shown. */
  readonly shown: IntentRecord[] = [];
  private replay = new CoreReplay(stateLine(this.core.state, responseTtlMs));
  /** Whether the audit log takes what the journal could not. */
  logTakes = true;
  /** Running time of the last event. */
  nowMs = 0;
  private ids = 0;
  private orders = 0;

  /** Delivers an event, and performs what needs no disk. */
  deliver(body: CoreEventBody): readonly CoreEffect[] {
    const event = { ...body, at: { utcMs: 1_000 + this.nowMs, runningMs: ++this.nowMs } };
    const effects: CoreEffect[] = [];
    this.core.handle(event, effects);
    const line = eventLine(event, effects);
    if (this.nowMs % 3 === 0) this.replay.restart();
    if (this.replay.next(line) !== line) throw new Error(`a replay decides otherwise: ${line}`);
    for (const effect of effects) {
      if (effect.type === 'append') this.writes.push(effect);
      if (effect.type === 'keep in log') {
        this.deliver({ type: 'kept in log', write: effect.write, isKept: this.logTakes });
      }
      if (effect.type === 'submit') this.submit(effect.intentId);
      if (effect.type === 'show') this.shown.push(effect.intent);
    }
    return effects;
  }

  request(key: string, fingerprint: string, isFenced = false): readonly CoreEffect[] {
    const identity = identityOf(key, fingerprint);
    const id = `id${++this.ids}`;
    return this.deliver({ type: 'requested', identity, id, isFenced, stored: this.disk.keyOf(key) });
  }

  intend(key: string, purpose: NewIntent['purpose'], fields: Partial<TradeRequest> = {}): readonly CoreEffect[] {
    const id = this.idOf(key);
    const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, ...fields });
    const intent = { purpose, request, serverTimeMsc: 1, positionId: 0, positionVolume: 0 };
    return id === null ? [] : this.deliver({ type: 'intended', key, id, intent, facts: {} });
  }

  /** A send that is under way gets its outcome. */
  settle(key: string, kind: SettledOutcome['kind'] | SettledOutcome): void {
    const intent = [...(this.core.state.requests.get(key)?.intents.values() ?? [])].find(
      ({ outcome }) => outcome.kind === 'pending' || outcome.kind === 'unknown',
    );
    if (!intent) return;
    const outcome = typeof kind === 'string' ? this.outcomeOf(kind) : kind;
    const claims = ticketsOf({ ...intent, outcome }).flatMap((ticket): StoredClaims => {
      const claim = this.disk.claims.get(ticket);
      return claim ? [[ticket, claim]] : [];
    });
    const event = { event: 'broker_response' } as const;
    this.deliver({ type: 'settled', key, intentId: intent.id, outcome, event, isAnswered: false, claims });
  }

  answer(key: string, status: number): void {
    const id = this.idOf(key);
    if (id !== null) this.deliver({ type: 'answered', key, id, response: { status, body: '{}' } });
  }

  resolve(key: string, status: 'recovered' | 'absent'): void {
    if (!this.core.state.requests.has(key)) return;
    this.deliver({ type: 'resolved', key, status, response: { status: 200, body: '{"found":true}' }, events: [] });
  }

  release(key: string): void {
    const id = this.idOf(key);
    if (id !== null) this.deliver({ type: 'released', key, id });
  }

  makeVoid(key: string): readonly CoreEffect[] {
    const stored = this.disk.keyOf(key);
    return this.deliver({ type: 'void asked', key, login: 1, event: { event: 'voided' }, askedAtMs: 1, stored });
  }

  /** Ends the oldest write. @param isTold whether the core is told now: its lines in the audit log may take longer */
  endWrite(succeeds: boolean, isTold = true): void {
    const write = this.writes.shift();
    if (!write) return;
    if (succeeds) this.disk.apply(write.changes);
    const ended = { type: succeeds ? 'persisted' : 'persist failed', write: write.write } as const;
    if (isTold) this.deliver(ended);
    else this.untold.push(ended);
  }

  /** Tells the core of the oldest write whose lines took longer. */
  tell(): void {
    const ended = this.untold.shift();
    if (ended) this.deliver(ended);
  }

  /** The disk works again, and everything is written. */
  calm(): void {
    this.endAll();
    this.deliver({ type: 'disk tried' });
    this.endAll();
  }

  private endAll(): void {
    while (this.writes.length + this.untold.length > 0) {
      this.endWrite(true);
      this.tell();
    }
  }

  /** The process ends; the next one finds what is on the disk. */
  crash(): void {
    this.writes.length = 0;
    this.untold.length = 0;
    this.core = new TradeCore(responseTtlMs);
    this.replay = new CoreReplay(stateLine(this.core.state, responseTtlMs));
    for (const key of this.disk.open) {
      const record = this.disk.requests.get(key);
      if (!record) throw new Error(`the open request ${key} is missing`);
      const intents = [...this.disk.intents.values()].filter(({ id }) => id.startsWith(`${record.id}/`));
      const interrupted = { status: 502, body: '{}', reason: 'stopped' };
      const isWritten = record.settledAtMs === null;
      const found = { record, intents, isWritten, outcomes: [], interrupted, claims: [] };
      this.deliver({ type: 'restarted', ...found });
    }
  }

  private submit(intentId: string): void {
    if (this.sent.has(intentId)) throw new Error(`${intentId} is sent twice`);
    const intent = this.disk.intents.get(intentId);
    const live = [...this.core.state.requests.values()].find(({ intents }) => intents.has(intentId));
    const purpose = intent?.purpose ?? live?.intents.get(intentId)?.purpose;
    if (!intent && !(purpose && reducesRisk(purpose))) throw new Error(`${intentId} is sent before it is on disk`);
    const key = intent?.key ?? live?.record.key ?? '';
    if (this.disk.keys.get(key)?.status === 'void') throw new Error(`${intentId} is sent under a void key`);
    this.sent.add(intentId);
  }

  private idOf(key: string): string | null {
    const { requests, writes } = this.core.state;
    const request = requests.get(key);
    // The handler of a released request has ended.
    if ([...writes.values()].some((write) => write.kind === 'release' && write.key === key)) return null;
    return request && isRunning(request) && !request.state.startsWith('answering') ? request.record.id : null;
  }

  private outcomeOf(kind: SettledOutcome['kind']): SettledOutcome {
    const result = { retcode: 10009, deal: 7, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '', request_id: 1 };
    if (kind === 'done') {
      return { kind, result: { ...result, order: ++this.orders, retcode_external: 0 }, source: 'answer' };
    }
    if (kind === 'absent') return { kind };
    if (kind === 'rejected') return { kind, result: null, lastError: null };
    if (kind === 'not_sent') return { kind, reason: 'r', lastError: null };
    return { kind: 'unknown', reason: 'r', result: null, lastError: null };
  }
}
