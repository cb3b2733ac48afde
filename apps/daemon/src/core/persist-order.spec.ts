import { deepStrictEqual, ok } from 'node:assert/strict';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import type { IntentRecord } from './records';
import { added, handle, isWanted, noRequests, type InFlightRequests } from './in-flight-requests';
import type { IntentEffect, IntentEvent, IntentFacts, IntentStep } from './intent-life';
import { newIntent } from './intent-lifecycle';
import { answeredWith, failures, type Outcome } from './testing/gateway-answers';

const answers: readonly Outcome[] = [
  { kind: 'done', status: 200, body: { result: { order: 9 } }, replayed: false },
  ...failures,
];

/** The requests of one strategy, on a disk that answers late and in any order. @throws AssertionError */
class World {
  private all: InFlightRequests = noRequests;
  /** What each request waits for, by key. */
  private readonly outstanding = new Map<string, IntentEffect>();
  private readonly entries = new Set<string>();
  /** Keys of the requests that may be sent: with a record on disk, or exits that the disk refused to record. */
  private readonly released = new Set<string>();
  /** Keys of the entries that the disk refused to record. */
  private readonly undone = new Set<string>();
  private readonly denied = new Set<string>();
  private isStopping = false;
  private nowMs = 0;
  private count = 0;

  want(isEntry: boolean): void {
    const key = `k${++this.count}`;
    const path = isEntry ? '/order' : '/close_position';
    const record: IntentRecord = {
      ...{ key, strategy: 'ema', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD' },
      ...{ ticket: isEntry ? null : this.count, call: { method: 'POST', path }, isEntry },
      ...{ createdAtMs: this.nowMs, journalId: 'A', state: 'open', outcome: null },
    };
    if (isEntry) this.entries.add(key);
    const step = newIntent(record, this.factsOf(record));
    this.all = added(this.all, step.life);
    this.follow(step);
  }

  /** One of the outstanding effects returns: the oldest ones may wait while newer ones return. */
  returns(which: number, isDurable: boolean, answer: Outcome): void {
    const keys = [...this.outstanding.keys()];
    const key = keys[which % Math.max(1, keys.length)];
    const effect = key === undefined ? undefined : this.outstanding.get(key);
    if (key === undefined || !effect) return;
    this.outstanding.delete(key);
    if (effect.type === 'write request') {
      const isUndone = !isDurable && this.entries.has(firstOf(key));
      (isUndone ? this.undone : this.released).add(key);
    }
    this.deliver(key, this.eventOf(effect, isDurable, answer));
  }

  /** Something that the requests do not await. */
  strays(which: number): void {
    const keys = [...this.outstanding.keys()];
    const key = keys[which % Math.max(1, keys.length)];
    const effect = key === undefined ? undefined : this.outstanding.get(key);
    if (key === undefined || !effect) return;
    const isWrite = effect.type.startsWith('write');
    const stray: IntentEvent = isWrite ? { type: 'timer' } : { type: 'written', isDurable: true, order: 1 };
    const before = this.all;
    this.deliver(key, stray);
    deepStrictEqual(this.all, before);
  }

  shutDown(): void {
    this.isStopping = true;
  }

  private deliver(key: string, event: IntentEvent): void {
    const life = this.all.requests.find(({ record }) => record.key === key);
    if (!life) return;
    const { all, step } = handle(this.all, key, event, this.factsOf(life.record));
    this.all = all;
    if (step) this.follow(step);
    this.check();
  }

  private follow({ life, effect, notices }: IntentStep): void {
    const { key, intentId } = life.record;
    if (notices.some(({ type }) => type === 'denied')) this.denied.add(intentId);
    if (effect === null) return;
    if (effect.type === 'send') ok(this.released.has(key), `${key} is sent before its own write has returned`);
    this.outstanding.set(key, effect);
  }

  /** An entry that the disk refused is undone at once: it is denied, and nothing of it is in flight. */
  private check(): void {
    const keys = this.all.requests.map(({ record }) => record.key);
    for (const key of this.undone) {
      ok(this.denied.has(key) && !keys.includes(key), `${key} is not undone`);
    }
    for (const key of this.denied) ok(this.undone.has(key), `${key} is denied, and its write did not fail`);
    for (const key of this.outstanding.keys()) ok(keys.includes(key), `${key} has an effect and is not in flight`);
  }

  private eventOf(effect: IntentEffect, isDurable: boolean, outcome: Outcome): IntentEvent {
    switch (effect.type) {
      case 'write request':
      case 'write done':
      case 'write refusal':
        return { type: 'written', isDurable, order: null };
      default:
        return answeredWith(effect, outcome, (ms) => (this.nowMs += ms));
    }
  }

  private factsOf(record: IntentRecord): IntentFacts {
    const { isStopping, nowMs } = this;
    const of = { isHalted: false, isStopping, openVolume: record.isEntry ? null : new Decimal('0.1') };
    return {
      ...{ nowMs, monotonicMs: nowMs, isStopping, hasGateway: true, journalId: 'A' },
      ...{ isWanted: isWanted(this.all, record, of), openVolume: record.isEntry ? null : '0.1', isSettled: true },
    };
  }
}

/** The key of the first request of an intent. */
function firstOf(key: string): string {
  return key.split('~')[0] ?? key;
}

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ isEntry: fc.boolean() }) },
  {
    weight: 10,
    arbitrary: fc.record({ which: fc.nat(9), isDurable: fc.boolean(), answer: fc.constantFrom(...answers) }),
  },
  { weight: 2, arbitrary: fc.record({ stray: fc.nat(9) }) },
);

describe('the writes of requests, at any delay and in any order of completion', () => {
  it('release each request only by its own write; a refused write undoes an entry, and an exit passes', () => {
    const property = fc.property(fc.array(act, { minLength: 10, maxLength: 80 }), fc.nat(80), (acts, stopAt) => {
      const world = new World();
      acts.forEach((one, index) => {
        if (index === stopAt) world.shutDown();
        if ('isEntry' in one) world.want(one.isEntry);
        else if ('stray' in one) world.strays(one.stray);
        else world.returns(one.which, one.isDurable, one.answer);
      });
    });
    fc.assert(property, { numRuns: 1_000, seed: 15 });
  });
});
