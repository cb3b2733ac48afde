import type { OrderAnswer, TradeOutcome } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import type { IntentRecord } from './records';
import { added, handle, isWanted, noRequests, problemOf, type InFlightRequests } from './in-flight-requests';
import type { IntentEffect, IntentEvent, IntentFacts } from './intent-life';
import { isHeld, newIntent } from './intent-lifecycle';

type Outcome = TradeOutcome<OrderAnswer>;

const done: Outcome = { kind: 'done', status: 200, body: { result: { order: 9 } }, replayed: false };
const accepted: Outcome = { ...done, body: { result: { order: 8 }, state: 'placed' } };
const lost: Outcome = { kind: 'unknown', reason: 'no answer', status: null, errorType: null, retryAfterMs: null };
const refused = (retcode: number): Outcome => {
  const terminalError = { retcode, retcode_name: 'NAME', comment: '' };
  const refusal = { status: 422, errorType: 'broker_rejected', error: 'no', details: null, terminalError };
  return { kind: 'rejected', retryable: false, ...refusal };
};
const blocked: Outcome = {
  ...{ kind: 'blocked', status: 423, errorType: 'kill_switch_active', error: 'halted', details: null },
  terminalError: null,
};
const [requote, invalidStops, closeExists] = [10004, 10016, 10039];
const body = (outcome: Outcome) =>
  outcome.kind === 'done' ? { ok: true, ...outcome.body } : { ok: false, error_type: 'broker_rejected', error: 'no' };

/** What the broker does with a request, and whether the answer arrives. */
type Fate = 'blocked' | 'done' | 'accepted' | 'requote' | 'invalid' | 'done, no answer' | 'requote, no answer' | 'late';
const fates: readonly Fate[] = [
  'blocked',
  'done',
  'accepted',
  'requote',
  'invalid',
  'done, no answer',
  'requote, no answer',
  'late',
];

/** One position, its broker and gateway, and the closes that a strategy wants of it. */
class World {
  all: InFlightRequests = noRequests;
  held = 10;
  nowMs = 0;
  journal = 'A';
  readonly violations: string[] = [];
  /** Outcomes by key, as the gateway's journal has them. */
  private readonly journaled = new Map<string, Outcome | 'void'>();
  /** The intent of each request that may still be executed, by key. */
  private readonly mayExecute = new Map<string, string>();
  private readonly outstanding = new Map<string, IntentEffect>();
  private readonly executed = new Set<string>();
  /** Intents of accepted closes that may still fill, with their lots; 0: all. */
  private readonly working = new Map<string, number>();
  private readonly wasAccepted = new Set<string>();
  private readonly told = new Set<string>();
  /** Keys of requests that may still be in a socket buffer. */
  private readonly delayed = new Set<string>();
  private intents = 0;

  /** @param lots null: the whole position */
  want(lots: number | null): void {
    if (this.held === 0 || (lots !== null && lots > this.held)) return;
    const intentId = `c${++this.intents}`;
    const position = { ticket: 7, ...(lots === null ? {} : { volume: lots }) };
    const record: IntentRecord = {
      ...{ key: `k${this.intents}`, strategy: 'ema', broker: 'demo', intentId, stream: 'eur', symbol: 'EURUSD' },
      ...{ ticket: 7, call: { method: 'POST', path: '/close_position', body: { position } }, isEntry: false },
      ...{ createdAtMs: this.nowMs, journalId: 'A', state: 'open', outcome: null },
    };
    const { life, effect } = newIntent(record, this.factsOf(record));
    this.all = added(this.all, life);
    if (effect) this.outstanding.set(record.key, effect);
  }

  /** Performs the outstanding effect of one request. */
  perform(which: number, fate: Fate, isDurable: boolean): void {
    const keys = [...this.outstanding.keys()];
    const key = keys[which % Math.max(1, keys.length)];
    const effect = key === undefined ? undefined : this.outstanding.get(key);
    if (key === undefined || !effect) return;
    this.outstanding.delete(key);
    this.deliver(key, this.eventOf(key, effect, fate, isDurable));
  }

  /** A request arrives at last. */
  arrive(which: number): void {
    const keys = [...this.delayed];
    const key = keys[which % Math.max(1, keys.length)];
    const intentId = key === undefined ? undefined : this.mayExecute.get(key);
    if (key === undefined || intentId === undefined) return;
    this.delayed.delete(key);
    this.mayExecute.delete(key);
    if (this.journaled.has(key)) return;
    if (this.told.has(intentId)) this.violations.push(`${key} arrives after the end of ${intentId}`);
    this.journaled.set(key, this.act(key, intentId, 'done'));
  }

  /** A close that was accepted fills. On a hedging account it closes nothing but its position. */
  fill(which: number): void {
    const intents = [...this.working.keys()];
    const intentId = intents[which % Math.max(1, intents.length)] ?? '';
    const volume = this.working.get(intentId);
    this.working.delete(intentId);
    if (volume === undefined || this.held < Math.max(volume, 1)) return;
    this.executed.add(intentId);
    this.held -= volume === 0 ? this.held : volume;
  }

  /** The broker closes a part without a request. */
  reduce(lots: number): void {
    this.held = Math.max(0, this.held - lots);
  }

  private deliver(key: string, event: IntentEvent): void {
    const before = this.all.requests.find(({ record }) => record.key === key);
    if (!before) return;
    const facts = this.factsOf(before.record);
    const { all, step } = handle(this.all, key, event, facts);
    this.all = all;
    if (!step) return;
    const { record } = step.life;
    if (step.effect) this.outstanding.set(record.key, step.effect);
    if (step.effect?.type === 'write request' && volumeOf(record) > this.held) {
      this.violations.push(`${record.key} is retried for more than is held`);
    }
    for (const notice of step.notices) {
      if (notice.type !== 'done' && notice.type !== 'rejected') continue;
      if (this.told.has(record.intentId)) this.violations.push(`${record.intentId} ended twice`);
      this.told.add(record.intentId);
      const isExecuted = this.executed.has(record.intentId);
      // One that was accepted counts as done as soon as it is not needed any more.
      const isAccepted = notice.type === 'done' && this.wasAccepted.has(record.intentId);
      if (isExecuted !== (notice.type === 'done') && !isAccepted)
        this.violations.push(`${record.intentId} is untrue: ${notice.type}`);
      if (notice.type === 'rejected' && facts.isWanted && problemOf(this.all, () => true) === null) {
        this.violations.push(`${record.intentId} is wanted and was given up without a problem`);
      }
    }
    this.checkEach();
  }

  /** A wanted exit is in flight, waits for a stated time, or is held with a problem; and each is in flight once. */
  private checkEach(): void {
    for (const life of this.all.requests) {
      const { key, intentId } = life.record;
      const same = this.all.requests.filter(({ record }) => record.intentId === intentId);
      if (same.length > 1) this.violations.push(`${intentId} is in flight twice`);
      if (!this.outstanding.has(key)) this.violations.push(`${key} is left without an effect`);
      if (isHeld(life) && problemOf(this.all, () => false) === null) this.violations.push(`${key} is held unseen`);
    }
  }

  private eventOf(key: string, effect: IntentEffect, fate: Fate, isDurable: boolean): IntentEvent {
    switch (effect.type) {
      case 'write request':
      case 'write done':
      case 'write refusal':
        return { type: 'written', isDurable, order: null };
      case 'show':
      case 'read account':
        return { type: 'seen', isHedging: true, isRead: true };
      case 'send':
        return { type: 'answered', outcome: this.send(key, fate) };
      case 'check journal':
        return { type: 'journal', journal: { id: this.journal, state: 'ok' } };
      case 'read key':
        return { type: 'reported', report: this.reportOf(key) };
      case 'void key':
        if (!this.journaled.has(key)) {
          this.journaled.set(key, 'void');
          this.mayExecute.delete(key);
        }
        return {
          type: 'voided',
          report: this.reportOf(key) ?? { status: 'unknown', response_status: 502, response: {} },
        };
      default:
        this.nowMs += effect.ms;
        return { type: 'timer' };
    }
  }

  private send(key: string, fate: Fate): Outcome {
    const intentId = this.all.requests.find(({ record }) => record.key === key)?.record.intentId ?? '';
    for (const [other, owner] of this.mayExecute) {
      if (owner === intentId && other !== key) this.violations.push(`${key} is sent while ${other} may be executed`);
    }
    this.mayExecute.set(key, intentId);
    if (fate === 'late') {
      this.delayed.add(key);
      return lost;
    }
    if (fate === 'blocked') {
      // The kill switch is checked before the journal is read. An earlier copy may still arrive.
      if (!this.delayed.has(key)) this.mayExecute.delete(key);
      return blocked;
    }
    const known = this.journaled.get(key);
    if (known === 'void') return lost;
    const outcome = known ?? this.act(key, intentId, fate);
    this.journaled.set(key, outcome);
    this.mayExecute.delete(key);
    return fate.endsWith('no answer') ? lost : outcome;
  }

  private act(key: string, intentId: string, fate: Fate): Outcome {
    const record = this.all.requests.find((life) => life.record.key === key)?.record;
    const volume = record === undefined ? 0 : volumeOf(record);
    if (fate === 'accepted' && volume <= this.held && this.held > 0) {
      // The broker has one close order of a position at a time.
      if (this.working.size > 0) return refused(closeExists);
      this.working.set(intentId, volume);
      this.wasAccepted.add(intentId);
      return accepted;
    }
    if (fate.startsWith('requote')) return refused(requote);
    if (fate === 'invalid' || this.held === 0 || volume > this.held) return refused(invalidStops);
    if (this.executed.has(intentId)) this.violations.push(`${intentId} is executed twice`);
    this.executed.add(intentId);
    this.held -= volume === 0 ? this.held : volume;
    return done;
  }

  private reportOf(key: string) {
    const known = this.journaled.get(key);
    if (known === undefined) return null;
    if (known === 'void') return { status: 'void', response_status: 422, response: null } as const;
    return { status: 'completed', response_status: known.kind === 'done' ? 200 : 422, response: body(known) } as const;
  }

  private factsOf(record: IntentRecord): IntentFacts {
    const openVolume = this.held === 0 ? null : new Decimal(this.held);
    const of = { isHalted: false, isStopping: false, openVolume };
    return {
      ...{ nowMs: this.nowMs, monotonicMs: this.nowMs, isStopping: false, hasGateway: true, journalId: this.journal },
      ...{ isWanted: isWanted(this.all, record, of), openVolume: openVolume?.toString() ?? null, isSettled: true },
    };
  }
}

/** Lots of a partial close; 0: the whole position. */
function volumeOf({ call }: IntentRecord): number {
  const { position } = call.body as { readonly position: { readonly volume?: number } };
  return position.volume ?? 0;
}

const act = fc.oneof(
  { weight: 1, arbitrary: fc.record({ want: fc.option(fc.integer({ min: 1, max: 6 })) }) },
  { weight: 1, arbitrary: fc.record({ reduce: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ arrive: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ fill: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ journal: fc.constantFrom('A', 'A', 'B') }) },
  {
    weight: 12,
    arbitrary: fc.record({ which: fc.nat(5), fate: fc.constantFrom(...fates), isDurable: fc.boolean() }),
  },
);

describe('the exits of a position under random events', () => {
  it('are each in flight once, wait for a stated time, or are a problem; none closes a volume twice or more than is held', () => {
    const property = fc.property(fc.array(act, { minLength: 20, maxLength: 120, size: 'max' }), (acts) => {
      const world = new World();
      world.want(null);
      for (const one of acts) {
        if ('want' in one) world.want(one.want);
        else if ('reduce' in one) world.reduce(one.reduce);
        else if ('arrive' in one) world.arrive(one.arrive);
        else if ('fill' in one) world.fill(one.fill);
        else if ('journal' in one) world.journal = one.journal;
        else world.perform(one.which, one.fate, one.isDurable);
      }
      // Then the gateway has the journal of each request again, and answers: everything comes to an end.
      for (let turn = 0; turn < 2_000 && world.all.requests.length > 0; turn++) {
        world.journal = world.all.requests[turn % world.all.requests.length]?.record.journalId ?? 'A';
        world.perform(turn, 'invalid', true);
      }
      expect(world.violations).toEqual([]);
      expect(world.all.requests).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000, seed: 15 });
  });
});
