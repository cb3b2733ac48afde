import type { TradeAttempt } from '../trade-attempt';
import { dayMs, type JournalRig, marketOrder, responseTtlMs } from './journal-rig';

/** How long a key is remembered after its end, in running time. */
const keptMs = 100 * dayMs;
export const keys = ['a', 'b'] as const;
export const parameters = ['f', 'g'] as const;
type Key = (typeof keys)[number];
type Parameters = (typeof parameters)[number];

/** What happens to a key, or to the journal. */
export type Step =
  | { readonly kind: 'request'; readonly key: Key; readonly parameters: Parameters }
  | { readonly kind: 'send' | 'refuse' | 'nothing to do' | 'done' | 'rejected' | 'lost'; readonly key: Key }
  | { readonly kind: 'recovered' | 'absent' | 'void' | 'void and send' | 'send and void'; readonly key: Key }
  | { readonly kind: 'pass' | 'jump' | 'downtime'; readonly ms: number }
  | { readonly kind: 'sweep' | 'crash' };

type Progress = Exclude<Extract<Step, { readonly key: Key }>['kind'], 'request' | 'void'>;

interface Refused {
  readonly kind: 'refused';
  readonly parameters: Parameters;
  readonly atMs: number;
}

/** What a client may rely on for one key. Instants are in running time. */
type Life =
  | { readonly kind: 'free' }
  | Refused
  | { readonly kind: 'reserved'; readonly parameters: Parameters; readonly before: Life }
  | { readonly kind: 'sent' | 'unknown'; readonly parameters: Parameters }
  | { readonly kind: 'void'; readonly atMs: number }
  | {
      readonly kind: 'ended';
      readonly parameters: Parameters;
      readonly status: number;
      readonly body: string;
      readonly atMs: number;
    };

/** Runs the steps on a journal and on the model; skips steps that the model does not allow. */
export class KeyLives {
  private readonly lives = new Map<Key, Life>();
  private readonly attempts = new Map<Key, TradeAttempt>();
  private ranMs = 0;
  private order = 0;

  constructor(private readonly rig: JournalRig) {}

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'pass':
        // No handler runs for days without a send.
        if (step.ms >= dayMs) for (const key of keys) await this.progress('refuse', key);
        this.ranMs += step.ms;
        return this.rig.clock.advance(step.ms);
      case 'jump':
        return this.rig.clock.jump(step.ms === dayMs ? -dayMs : step.ms);
      case 'sweep':
        return this.rig.journal.sweep();
      case 'crash':
        await this.rig.crash();
        this.afterRestart();
        return this.mayForgetRefusals();
      case 'downtime':
        await this.rig.restart(step.ms);
        return this.afterRestart();
      case 'request':
        return this.request(step.key, step.parameters);
      case 'void':
        return this.makeVoid(step.key);
      default:
        return this.progress(step.kind, step.key);
    }
  }

  /** Repeats every key, with the same and with other parameters. */
  async check(): Promise<void> {
    for (const key of keys) for (const others of parameters) this.request(key, others);
  }

  private request(key: Key, asked: Parameters): void {
    const life = this.lifeOf(key);
    const reservation = this.rig.reserve(key, asked);
    if (reservation.kind === 'reserved') {
      expectSame(this.mayBeReserved(life, asked), true);
      this.attempts.set(key, reservation.attempt);
      this.lives.set(key, { kind: 'reserved', parameters: asked, before: life });
      return;
    }
    if (life.kind === 'void') return expectSame(reservation, { kind: 'void' });
    if (life.kind === 'free') throw new Error(`${reservation.kind} for a free key`);
    if (life.parameters !== asked) return expectSame(reservation.kind, 'conflict');
    if (life.kind === 'reserved' || life.kind === 'sent') return expectSame(reservation, { kind: 'in_progress' });
    const status = life.kind === 'unknown' ? 502 : life.kind === 'ended' && life.status;
    expectFields(reservation, { kind: 'replay', status });
    const isKept = life.kind === 'ended' && this.ranMs < life.atMs + responseTtlMs;
    if (isKept) expectFields(reservation, { body: life.body });
  }

  /** A request is accepted if its key is free, expired, or bound to the same parameters by a refusal. */
  private mayBeReserved(life: Life, asked: Parameters): boolean {
    if (life.kind === 'free') return true;
    if (life.kind === 'refused') return life.parameters === asked || this.ranMs >= life.atMs + responseTtlMs;
    return (life.kind === 'void' || life.kind === 'ended') && this.ranMs > life.atMs + keptMs;
  }

  private async makeVoid(key: Key): Promise<void> {
    const life = this.lifeOf(key);
    const known = await this.rig.journal.makeVoid(key);
    const isVoid = known.kind === 'remembered' && known.entry.status === 'void';
    const isForgettable = life.kind === 'ended' && this.ranMs > life.atMs + keptMs;
    const becomesVoid = ['free', 'refused', 'reserved', 'void'].includes(life.kind);
    if (!isForgettable) expectSame(isVoid, becomesVoid);
    if (isVoid) this.lives.set(key, { kind: 'void', atMs: life.kind === 'void' ? life.atMs : this.ranMs });
  }

  private async progress(kind: Progress, key: Key): Promise<void> {
    const { journal } = this.rig;
    const life = this.lifeOf(key);
    const attempt = this.attempts.get(key);
    switch (kind) {
      case 'send':
        if (attempt) await this.send(attempt);
        return;
      case 'void and send':
      case 'send and void':
        if (attempt && life.kind === 'reserved') await this.race(attempt, kind);
        return;
      case 'refuse':
        if (!attempt || (life.kind !== 'reserved' && life.kind !== 'void')) return;
        await journal.release(attempt);
        this.attempts.delete(key);
        if (life.kind === 'reserved')
          this.lives.set(key, { kind: 'refused', parameters: life.parameters, atMs: this.ranMs });
        return;
      case 'nothing to do':
        if (!attempt || life.kind !== 'reserved') return;
        await journal.complete(attempt, { status: 200, body: 'nothing to do' });
        return this.end(key, 200, 'nothing to do');
      case 'done':
      case 'rejected':
        if (life.kind === 'sent' && attempt) await this.answer(attempt, kind);
        return;
      case 'lost':
        if (life.kind !== 'sent' || !attempt) return;
        await journal.settle(attempt, this.intentOf(attempt), unknown);
        await journal.complete(attempt, { status: 502, body: '' });
        this.attempts.delete(key);
        this.lives.set(key, { ...life, kind: 'unknown' });
        return;
      case 'recovered':
      case 'absent':
        if (life.kind === 'unknown') await this.findOut(key, kind);
    }
  }

  /** The only place that sends to the broker. */
  private async send(attempt: TradeAttempt): Promise<void> {
    const key = keyOf(attempt);
    const life = this.lifeOf(key);
    if (life.kind === 'sent') return;
    const sealed = this.rig.journal.record(attempt, marketOrder);
    if (life.kind === 'void') return expectVoid(sealed);
    await sealed;
    if (life.kind !== 'reserved') throw new Error(`sent under a key that is ${life.kind}`);
    this.lives.set(key, { kind: 'sent', parameters: life.parameters });
  }

  /** A void and an intent at the same time: exactly one takes effect, and both callers learn which. */
  private async race(attempt: TradeAttempt, first: 'void and send' | 'send and void'): Promise<void> {
    const { journal } = this.rig;
    const key = keyOf(attempt);
    const life = this.lifeOf(key);
    const acts = [() => journal.makeVoid(key), () => journal.record(attempt, marketOrder)];
    if (first === 'send and void') acts.reverse();
    const [one, other] = await Promise.allSettled(acts.map((act) => act()));
    const [voided, sent] = first === 'void and send' ? [one, other] : [other, one];
    if (voided?.status !== 'fulfilled') throw new Error('the void failed');
    const known = journal.lookUp(key);
    const isVoid = known?.kind === 'remembered' && known.entry.status === 'void';
    expectSame(sent?.status, isVoid ? 'rejected' : 'fulfilled');
    expectFields(voided.value, isVoid ? { entry: { status: 'void' } } : { kind: 'request' });
    if (life.kind !== 'reserved') return;
    this.lives.set(key, isVoid ? { kind: 'void', atMs: this.ranMs } : { kind: 'sent', parameters: life.parameters });
  }

  private async answer(attempt: TradeAttempt, kind: 'done' | 'rejected'): Promise<void> {
    const [status, body] = kind === 'done' ? [200, `done ${++this.order}`] : [422, 'rejected'];
    await this.rig.journal.settle(attempt, this.intentOf(attempt), kind === 'done' ? this.done() : rejected);
    await this.rig.journal.complete(attempt, { status, body });
    this.end(keyOf(attempt), status, body);
  }

  private async findOut(key: Key, kind: 'recovered' | 'absent'): Promise<void> {
    const { journal } = this.rig;
    const attempt = journal.unresolved().find((one) => one.key === key);
    if (!attempt) throw new Error('a request with an unknown outcome is not looked up');
    const [status, body] = kind === 'recovered' ? [200, 'recovered'] : [422, 'absent'];
    await journal.settle(attempt, this.intentOf(attempt), kind === 'recovered' ? this.done() : { kind });
    await journal.resolve(attempt, kind, { status, body });
    this.end(key, status, body);
  }

  private end(key: Key, status: number, body: string): void {
    const life = this.lifeOf(key);
    this.attempts.delete(key);
    if (!('parameters' in life)) throw new Error(`an answer under a key that is ${life.kind}`);
    this.lives.set(key, { kind: 'ended', parameters: life.parameters, status, body, atMs: this.ranMs });
  }

  /** Sent requests become unknown; the others end with the process. */
  private afterRestart(): void {
    this.attempts.clear();
    for (const [key, life] of this.lives) {
      if (life.kind === 'sent') this.lives.set(key, { ...life, kind: 'unknown' });
      if (life.kind === 'reserved') this.lives.set(key, life.before);
    }
  }

  /** A refusal binds its key after the answer; a crash may come first, and nothing was sent. */
  private mayForgetRefusals(): void {
    for (const [key, life] of this.lives) {
      if (life.kind === 'refused') this.lives.set(key, { ...life, atMs: Number.NEGATIVE_INFINITY });
    }
  }

  private lifeOf(key: Key): Life {
    return this.lives.get(key) ?? { kind: 'free' };
  }

  private intentOf(attempt: TradeAttempt): string {
    const [intentId] = attempt.intents.keys();
    if (intentId === undefined) throw new Error('nothing was sent');
    return intentId;
  }

  private done() {
    const result = { retcode: 10009, deal: 7, order: 1_000 + ++this.order, volume: 0.1, price: 1.1, bid: 1, ask: 1.1 };
    return {
      kind: 'done',
      result: { ...result, comment: '', request_id: 1, retcode_external: 0 },
      source: 'answer',
    } as const;
  }
}

function expectSame(found: unknown, wanted: unknown): void {
  expect(found).toEqual(wanted);
}

function expectFields(found: object, wanted: object): void {
  expect(found).toMatchObject(wanted);
}

function expectVoid(sending: Promise<unknown>): Promise<void> {
  return expect(sending).rejects.toMatchObject({ errorType: 'key_void' });
}

const unknown = { kind: 'unknown', reason: 'no answer', result: null, lastError: null } as const;
const rejected = { kind: 'rejected', result: null, lastError: null } as const;

function keyOf({ key }: TradeAttempt): Key {
  const known = keys.find((one) => one === key);
  if (known === undefined) throw new Error(`not a key of this test: ${key}`);
  return known;
}
