import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { DealRecord, PositionRecord } from '@libs/gateway-client';
import { DealEntry, DealType, PositionType } from '@libs/trade-constants';
import fc from 'fast-check';
import { blankRecord, type OwnedTicket } from './records';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import type { CoreEffect, RequestedEffect } from './core-effect';
import type { CoreEventBody } from './core-event';
import { CoreReplay, eventLine, stateLine } from './core-recording';
import { startOf, type CoreSnapshot } from './core-state';
import { undisturbed } from './risk';
import { StrategyCore } from './strategy-core';
import { answeredWith, failures, type Outcome } from './testing/gateway-answers';

const answers: readonly Outcome[] = [
  { kind: 'done', status: 200, body: { result: { order: 9 }, state: 'executed' }, replayed: false },
  { kind: 'done', status: 200, body: {}, replayed: false },
  ...failures,
];
const tickets = [1, 2, 3].map((ticket): OwnedTicket => {
  return {
    ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: null },
    ...{ deals: [ticket], volumeIn: '0.1', volumeOut: '0', working: false, closed: false },
  };
});
const start = startOf({ spec, record: blankRecord('ema'), tickets, stacks: [], kept: null });
const options = { direction: 'buy', layers: 3, spacing: 0.001, volume: 0.1 } as const;

/** An account snapshot: some of the positions, and sometimes an order that nothing is known about. */
function rowsOf(which: number): AccountRows {
  const times = { time: 0, time_msc: 0, time_utc: null, time_update: 0, time_update_msc: 0, client_order_id: null };
  const prices = { price_open: 1.1, price_current: 1.1, sl: 0, tp: 0, swap: 0, profit: -which };
  const positions = [1, 2, 3].slice(which % 3).map((ticket): PositionRecord => {
    const ids = { ticket, identifier: ticket, magic: 7, reason: 3, symbol: 'EURUSD', comment: '', external_id: '' };
    return { ...times, ...prices, ...ids, type: PositionType.BUY, volume: 0.1 };
  });
  return new AccountRows(positions, []);
}

/** The deal that closes a position, of the order that every request becomes. */
function closing(position: number): DealRecord {
  return {
    ...{ ticket: 100 + position, order: 9, type: DealType.SELL, reason: 3, entry: DealEntry.OUT },
    ...{ volume: 0.1, price: 1.1, profit: -1, commission: 0, swap: 0, fee: 0, magic: 7, position_id: position },
    ...{ symbol: 'EURUSD', time: 0, time_msc: 0, comment: '', external_id: '', time_utc: null, client_order_id: null },
  };
}

/** A core whose effects return late, fail, and are interleaved with other events. @throws AssertionError */
class World {
  private core = new StrategyCore(start);
  private readonly replay = new CoreReplay(stateLine(start));
  private outstanding: RequestedEffect[] = [];
  private readonly durable = new Set<number>();
  private readonly failed = new Map<number, string>();
  private readonly submitted = new Set<string>();
  private readonly denied = new Set<string>();
  private lastNumber = 0;
  private nowMs = 0;
  private count = 0;

  wants(kind: 'enter' | 'close' | 'stack'): void {
    const id = `i${++this.count}`;
    const key = `k${this.count}`;
    const moment = { quote: { timeMs: 0, bid: 1.0999, ask: 1.1 }, marketMs: this.nowMs, circumstances: undisturbed };
    if (kind === 'stack') {
      const intent = { id, action: 'stack', stream: 'eur', options } as const;
      return this.deliver({ type: 'layer', event: { type: 'wanted', intent, unfit: null, moment }, key });
    }
    const intent =
      kind === 'enter'
        ? ({ id, action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1 } } as const)
        : ({ id, action: 'close', position: (this.count % 3) + 1, broker: null, volume: null } as const);
    this.deliver({ type: 'intent', intent, circumstances: undisturbed, key });
  }

  /** One of the outstanding effects ends: an old one may wait while newer ones end. */
  returns(which: number, isDurable: boolean, outcome: Outcome): void {
    const [effect] = this.outstanding.splice(which % Math.max(1, this.outstanding.length), 1);
    if (!effect) return;
    if (effect.type === 'persist') {
      if (isDurable) this.durable.add(effect.n);
      else this.failed.set(effect.n, effect.key);
    }
    this.deliver(this.eventOf(effect, isDurable, outcome));
  }

  happens(which: number): void {
    const quote = { timeMs: this.nowMs, bid: 1.1019, ask: 1.102 };
    const events: readonly CoreEventBody[] = [
      { type: 'stack', event: { type: 'quote', stream: 'eur', quote } },
      { type: 'account seen', marketMs: this.nowMs, quotes: { eur: quote } },
      { type: 'equity', equity: 9_000, marketMs: this.nowMs },
      { type: 'halt', kind: 'persistent', reason: 'by hand' },
      { type: 'resume' },
      { type: 'stack', event: { type: 'turns dropped' } },
      { type: 'rows', broker: 'demo', rows: rowsOf(which) },
      { type: 'deals', broker: 'demo', ticket: (which % 3) + 1, deals: [closing((which % 3) + 1)], follows: null },
      { type: 'forgo', broker: 'demo' },
    ];
    for (const event of events.slice(which % events.length).slice(0, 1)) this.deliver(event);
  }

  /** Another core continues with the state of this one, as JSON has it. The replay keeps its core, and decides the same. */
  restarts(): void {
    this.core = new StrategyCore(JSON.parse(stateLine(this.core.state.snapshot)) as CoreSnapshot);
  }

  /** An event that nothing waits for has no effect. */
  strays(): void {
    deepStrictEqual(this.handle({ type: 'persisted', n: 1_000_000, isDurable: true }), []);
    deepStrictEqual(this.handle({ type: 'request', key: 'none', event: { type: 'timer' } }), []);
    deepStrictEqual(this.handle({ type: 'order found', key: 'none', order: 1, remembered: null }), []);
  }

  private deliver(event: CoreEventBody): void {
    for (const effect of this.handle(event)) this.check(effect);
    this.checkUndone();
  }

  private handle(body: CoreEventBody): readonly CoreEffect[] {
    const at = { nowMs: this.nowMs, monotonicMs: this.nowMs, isStopping: false, journals: { demo: 'A' } };
    const event = { ...body, at };
    const effects: CoreEffect[] = [];
    this.core.handle(event, effects);
    const line = eventLine(event, effects);
    strictEqual(this.replay.next(line), line);
    return effects;
  }

  private check(effect: CoreEffect): void {
    if (effect.type === 'denied') this.denied.add(effect.reject.intentId);
    if (effect.type === 'persist' || effect.type === 'submit') strictEqual(effect.n, ++this.lastNumber);
    if (effect.type === 'submit') {
      const { key, persist, record } = effect;
      ok(!this.submitted.has(key), `${key} is submitted twice`);
      this.submitted.add(key);
      const isReleased = this.durable.has(persist) || (!record.isEntry && this.failed.get(persist) === key);
      ok(isReleased, `${key} is submitted before its own persist has ended`);
    }
    if (effect.type === 'persist') {
      if (effect.key !== null) this.outstanding.push({ ...effect, key: effect.key });
    } else if (effect.type === 'submit' || effect.type === 'ask' || effect.type === 'find order') {
      this.outstanding.push(effect);
    }
  }

  /** An entry whose persist failed before it was submitted is denied, and no longer in flight. */
  private checkUndone(): void {
    const { requests } = this.core.state.requests;
    for (const key of this.failed.values()) {
      const id = key.replace('k', 'i');
      const life = requests.find(({ record }) => record.key === key);
      if (life?.record.isEntry === true) ok(this.submitted.has(key), `${key} is in flight without a record`);
      if (this.denied.has(id)) ok(!this.submitted.has(key), `${key} is denied and submitted`);
    }
  }

  private eventOf(effect: RequestedEffect, isDurable: boolean, outcome: Outcome): CoreEventBody {
    const { key } = effect;
    switch (effect.type) {
      case 'persist':
        return { type: 'persisted', n: effect.n, isDurable };
      case 'submit':
        return { type: 'request', key, event: { type: 'answered', outcome } };
      case 'find order':
        return { type: 'order found', key, order: effect.order, remembered: null };
      case 'ask':
        return { type: 'request', key, event: answeredWith(effect.effect, outcome, (ms) => (this.nowMs += ms)) };
    }
  }
}

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ wants: fc.constantFrom('enter', 'close', 'stack') }) },
  {
    weight: 10,
    arbitrary: fc.record({ returns: fc.nat(9), isDurable: fc.boolean(), answer: fc.constantFrom(...answers) }),
  },
  { weight: 3, arbitrary: fc.record({ happens: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.constant({ restarts: true }) },
  { weight: 1, arbitrary: fc.constant({ strays: true }) },
);

describe('the core of a strategy', () => {
  it('releases each submit by its own persist, and replays and continues to the byte, even if writes are late or fail', () => {
    const property = fc.property(fc.array(act, { minLength: 10, maxLength: 80 }), (acts) => {
      const world = new World();
      for (const one of acts) {
        if ('wants' in one) world.wants(one.wants);
        else if ('returns' in one) world.returns(one.returns, one.isDurable, one.answer);
        else if ('happens' in one) world.happens(one.happens);
        else if ('restarts' in one) world.restarts();
        else world.strays();
      }
    });
    fc.assert(property, { numRuns: 500, seed: 15 });
  });
});
