import { freeKey, step, type RequestEvent, type RequestLife, type SendOutcomeState } from '@libs/request-life';
import type { IntentOutcome, NewIntent, SettledOutcome } from '../../trade-core/journal-records';
import type { TradeAttempt } from '../trade-attempt';

import { dayMs, JournalRig, marketOrder, responseTtlMs } from './journal-rig';

export type JournalAction =
  | { readonly kind: 'reserve' | 'reserve other' | 'answer' | 'answer unknown' | 'release' }
  | { readonly kind: 'conclude' | 'give up' | 'accept' | 'void' | 'crash' | 'restart' | 'expire' | 'forget' }
  | { readonly kind: 'send'; readonly purpose: NewIntent['purpose'] }
  | { readonly kind: 'settle'; readonly which: number; readonly outcome: SendOutcomeState }
  | { readonly kind: 'disk'; readonly full: boolean };

const key = 'k';

/** Applies the same events to a trade journal and to the request-life table; both must give the key the same state. */
export class JournalBesideTable {
  private life = freeKey;
  private attempt: TradeAttempt | null = null;
  private tickets = 0;

  constructor(private readonly rig: JournalRig) {}

  /** The key's state in the table. */
  get expected(): RequestLife['state'] {
    return this.life.state;
  }

  /** The key's state in the journal, from its public reads. */
  get observed(): string {
    const { journal } = this.rig;
    const known = journal.lookUp(key);
    const attempt = journal.openRequest(key);
    if (!known) return 'free';
    const status = known.kind === 'request' ? known.record.status : known.entry.status;
    if (status === 'void') return attempt ? 'reserved_void' : 'void';
    if (status === 'in_progress') return attempt?.request.state ?? status;
    return status === 'unknown' && attempt?.isUndecidable ? 'undecidable' : status;
  }

  /** Applies an event to both; skips events that the table rejects. */
  async take(action: JournalAction): Promise<void> {
    switch (action.kind) {
      case 'reserve':
      case 'reserve other':
        return this.reserve(action.kind === 'reserve');
      case 'send':
        return this.send(action.purpose);
      case 'settle':
        return this.settle(action.which, action.outcome);
      case 'answer':
      case 'answer unknown':
        return this.answer(action.kind === 'answer unknown');
      case 'release':
        return this.release();
      case 'conclude':
      case 'give up':
      case 'accept':
        return this.resolve(action.kind);
      case 'void':
        return this.makeVoid();
      case 'disk':
        this.rig.disk.full = action.full;
        return;
      case 'crash':
      case 'restart':
        return this.restart(action.kind);
      case 'expire':
      case 'forget':
        return this.pass(action.kind);
    }
  }

  private reserve(sameRequest: boolean): void {
    // Without a request, only a refusal can have other parameters, which other specs test.
    const event = { kind: 'reserve', sameRequest: sameRequest || this.life.state === 'free' } as const;
    const result = step(this.life, event);
    const reservation = this.rig.reserve(key, event.sameRequest ? 'f' : 'g');
    if (result.kind === 'refused') return same(reservation.kind, reservationOf[result.refusal]);
    same(reservation.kind, result.effects.includes('answer') ? 'replay' : 'reserved');
    this.life = result.life;
    if (reservation.kind === 'reserved') this.attempt = reservation.attempt;
  }

  private async send(purpose: NewIntent['purpose']): Promise<void> {
    const { attempt } = this;
    const id = `${attempt?.record.id}/${this.intents++}`;
    const result = this.decide({ kind: 'intend', send: id });
    if (!attempt || result === 'impossible') return void this.intents--;
    const sealed = this.rig.journal.record(attempt, { ...marketOrder, purpose });
    const outcome = await sealed
      .then(({ intentId }) => intentId)
      .catch((error: { errorType?: string }) => error.errorType);
    if (result !== 'moved') return same(outcome, result);
    if (!this.rig.disk.full) this.decide({ kind: 'intent_durable', send: id });
    else this.decide({ kind: 'intent_failed', send: id, reducesRisk: purpose === 'close' });
    same(outcome, this.life.sends[id] === 'unwritten' ? 'journal_unavailable' : id);
  }
  private intents = 0;

  private async settle(which: number, outcome: SendOutcomeState): Promise<void> {
    const attempt = this.rig.journal.openRequest(key) ?? this.stored();
    const ids = [...(attempt?.intents.keys() ?? [])];
    const send = ids[which % Math.max(1, ids.length)];
    if (!attempt || send === undefined) return;
    if (this.decide({ kind: 'settle', send, outcome }) !== 'moved') return;
    await this.rig.journal.settle(attempt, send, this.outcomeOf(outcome));
    same(stateOf(attempt.intents.get(send)?.outcome), outcome);
  }

  private async answer(unknown: boolean): Promise<void> {
    const result = this.decide({ kind: 'answer', unknown });
    if (!this.attempt || result === 'impossible') return;
    const written = this.rig.journal.complete(this.attempt, { status: unknown ? 502 : 200, body: '{}' });
    if (result !== 'moved')
      return void same(await written.catch((error: { errorType?: string }) => error.errorType), result);
    await written;
    this.decide({ kind: 'answer_kept' });
    this.attempt = null;
  }

  private async release(): Promise<void> {
    // On a full disk the request stays on it.
    if (!this.attempt || this.rig.disk.full || this.decide({ kind: 'release' }) !== 'moved') return;
    await this.rig.journal.release(this.attempt);
    this.attempt = null;
    this.intents = 0;
  }

  private async resolve(kind: 'conclude' | 'give up' | 'accept'): Promise<void> {
    const attempt = this.rig.journal.openRequest(key) ?? this.stored();
    if (!attempt || this.decide({ kind: kind === 'give up' ? 'give_up' : kind }) !== 'moved') return;
    const { state } = this.life;
    const status = state === 'undecidable' ? 'unknown' : state;
    if (status !== 'unknown' && status !== 'recovered' && status !== 'absent' && status !== 'accepted') return;
    await this.rig.journal.resolve(attempt, status, { status: 422, body: '{}' });
  }

  private async makeVoid(): Promise<void> {
    const result = step(this.life, { kind: 'void' });
    if (result.kind === 'refused') return;
    this.life = result.life;
    const known = await this.rig.journal.makeVoid(key).catch(() => null);
    if (!result.effects.includes('write_void')) return same(known?.kind === undefined, false);
    same(known === null, this.rig.disk.full);
    this.decide({ kind: known === null ? 'void_failed' : 'void_durable' });
  }

  /** Restarts on the last durable record. Records in memory are written first, or the restart is skipped. */
  private async restart(kind: 'crash' | 'restart'): Promise<void> {
    this.rig.disk.full = false;
    await this.rig.journal.sweep();
    if (this.rig.journal.openRequest(key)?.dirty) return;
    if (kind === 'crash') await this.rig.crash();
    else await this.rig.restart();
    this.attempt = null;
    if (this.life.state === 'reserved') this.life = freeKey;
    if (this.life.state === 'reserved_void') this.life = { state: 'void', sends: {} };
    const written = Object.entries(this.life.sends).filter(([, send]) => send !== 'unwritten');
    if (this.life.state === 'in_progress' && written.length === 0) this.life = freeKey;
    this.life = { ...this.life, sends: Object.fromEntries(written) };
    same(this.decide({ kind: 'restart' }), 'moved');
  }

  private async pass(kind: 'expire' | 'forget'): Promise<void> {
    if (this.attempt) return;
    this.rig.disk.full = false;
    await this.rig.journal.sweep();
    await this.rig.clock.advance(kind === 'expire' ? responseTtlMs + 1 : 101 * dayMs);
    await this.rig.journal.sweep();
    this.decide({ kind: 'expire_response' });
    if (kind === 'forget') this.decide({ kind: 'forget' });
    if (this.life.state === 'free') this.intents = 0;
  }

  /** @returns moved, or why not */
  private decide(event: RequestEvent): string {
    const result = step(this.life, event);
    if (result.kind === 'refused') return result.refusal;
    this.life = result.life;
    return 'moved';
  }

  /** The request that a late answer belongs to. */
  private stored(): TradeAttempt | undefined {
    const [send] = Object.keys(this.life.sends);
    return send === undefined ? undefined : this.rig.journal.intents.attemptOf(send);
  }

  private outcomeOf(outcome: SendOutcomeState): SettledOutcome {
    switch (outcome) {
      case 'not_sent':
        return { kind: 'not_sent', reason: 'r', lastError: null };
      case 'done':
        return { kind: 'done', result: { ...result, order: ++this.tickets }, source: 'answer' };
      case 'rejected':
        return { kind: 'rejected', result: null, lastError: null };
      case 'absent':
        return { kind: 'absent' };
      case 'unknown':
      case 'undecidable': {
        const unknown = { kind: 'unknown', reason: 'r', result: null, lastError: null } as const;
        return outcome === 'unknown' ? unknown : { ...unknown, undecidable: true };
      }
    }
  }
}

const result = {
  ...{ retcode: 10009, deal: 7, order: 9, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};

const reservationOf: Readonly<Record<string, string>> = {
  in_progress: 'in_progress',
  conflict: 'conflict',
  key_void: 'void',
};

function stateOf(outcome: IntentOutcome | undefined): string | undefined {
  return outcome?.kind === 'unknown' && outcome.undecidable ? 'undecidable' : outcome?.kind;
}

function same(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`found ${String(found)}, wanted ${String(wanted)}`);
}
