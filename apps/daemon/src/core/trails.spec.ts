import type { PositionRecord } from '@libs/gateway-client';
import { DealEntry, DealType, PositionType } from '@libs/trade-constants';
import { blankRecord, ticketShape, type OwnedTicket } from './records';
import { deal } from './testing/core-rig';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import type { CoreEffect } from './core-effect';
import type { CoreEventBody } from './core-event';
import { startOf } from './core-state';
import { undisturbed } from './risk';
import { StrategyCore } from './strategy-core';
import { nextStop } from './trails';

const position: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1' },
  ...{ deals: [1], volumeIn: '0.1', volumeOut: '0', side: 'buy', working: false, closed: false },
};
const terms = { tickSize: 0.00001, digits: 5, stopsDistance: 0, freezeDistance: 0 };
const wanted = { id: 't1', action: 'trail', position: 7, broker: null } as const;

/** A core with one long position from 1.1, and its account. */
class World {
  nowMs = 0;
  sl = 1.09;
  private type: number = PositionType.BUY;
  effects: readonly CoreEffect[] = [];
  core: StrategyCore;

  constructor(tickets: readonly OwnedTicket[] = [position]) {
    this.core = new StrategyCore(startOf({ spec, record: blankRecord('ema'), tickets, stacks: [], kept: null }));
    this.shows();
  }

  deliver(event: CoreEventBody): readonly CoreEffect[] {
    const effects: CoreEffect[] = [];
    const at = { nowMs: this.nowMs, monotonicMs: this.nowMs, isStopping: false, journals: { demo: 'A' } };
    this.core.handle({ ...event, at }, effects);
    return (this.effects = effects);
  }

  /** The account is read. */
  shows(sl = this.sl, type = this.type): void {
    this.sl = sl;
    this.type = type;
    const row: PositionRecord = {
      ...{ ticket: 7, identifier: 7, time: 0, time_msc: 0, time_update: 0, time_update_msc: 0, type, magic: 7 },
      ...{ reason: 3, volume: 0.1, price_open: 1.1, sl, tp: 1.2, price_current: 1.1, swap: 0, profit: 0 },
      ...{ symbol: 'EURUSD', comment: '', external_id: '', time_utc: null, client_order_id: null },
    };
    this.deliver({ type: 'rows', broker: 'demo', rows: new AccountRows([row], []) });
  }

  /** A deal turns the position into a short one of as many lots. */
  reverses(): void {
    const turning = deal({ ticket: 2, type: DealType.SELL, entry: DealEntry.INOUT, volume: 0.2, position_id: 7 });
    this.deliver({ type: 'deals', broker: 'demo', ticket: 7, deals: [turning], follows: null });
  }

  trail(distance: number | null = 0.002): readonly CoreEffect[] {
    return this.deliver({ type: 'trail', intent: { ...wanted, trail: distance === null ? null : { distance } } });
  }

  /** A quote. @returns whether a turn is asked for */
  quote(bid: number, stream = 'eur'): boolean {
    const event = { type: 'price', stream, quote: { timeMs: 0, bid, ask: bid + 0.0001 }, terms } as const;
    return this.deliver(event).some(({ type }) => type === 'trail');
  }

  /** The turn that was asked for. @returns the stop-loss that is requested; null without a request */
  turn(key: string, isCurrent = true, isNetting = false): unknown {
    this.deliver({ type: 'trail turn', broker: 'demo', ticket: 7, key, isCurrent, isNetting });
    const [write] = this.effects.flatMap((effect) => (effect.type === 'persist' ? (effect.change.intents ?? []) : []));
    return write?.call.body ?? null;
  }

  /** Sends the request under a key. */
  private sends(): void {
    this.deliver({ type: 'persisted', n: this.core.state.snapshot.lastNumber, isDurable: true });
  }

  /** Refuses a request; its retry may follow. */
  refuse(key: string, retcode = 10016, retryKey = key): readonly CoreEffect[] {
    this.sends();
    const outcome = {
      ...{ kind: 'rejected', retryable: false, errorType: 'broker_rejected', error: 'no', status: 422, details: null },
      terminalError: { retcode, retcode_name: null, comment: null },
    };
    this.deliver({ type: 'request', key, event: { type: 'answered', outcome } as never });
    this.deliver({ type: 'persisted', n: this.core.state.snapshot.lastNumber, isDurable: true });
    return this.deliver({ type: 'request', key: retryKey, event: { type: 'seen' } });
  }

  execute(key: string, sl: number): void {
    this.sends();
    const outcome = { kind: 'done', status: 200, replayed: false, body: { result: { retcode: 10009, order: 0 } } };
    this.deliver({ type: 'request', key, event: { type: 'answered', outcome } as never });
    this.deliver({ type: 'order found', key, order: null, remembered: null });
    this.deliver({ type: 'persisted', n: this.core.state.snapshot.lastNumber, isDurable: true });
    this.shows(sl);
    this.deliver({ type: 'request', key, event: { type: 'seen' } });
  }

  /** Continues as another core that has nothing but the state of this one, as JSON. */
  replaced(): void {
    this.core = new StrategyCore(JSON.parse(JSON.stringify(this.core.state.snapshot)) as never);
  }
}

describe('a trailing stop', () => {
  it('is durable with its ticket, and moves the stop-loss alone', () => {
    const world = new World();
    expect(world.quote(1.105)).toBe(false);
    const [persist] = world.trail();
    const trail = { intentId: 't1', side: 'buy', distance: 0.002, step: 0.0002, activateAt: null };
    expect(persist).toMatchObject({ type: 'persist', change: { tickets: [{ ticket: 7, trail }] } });
    expect(world.core.state.book.positions).toMatchObject([{ trail: { distance: 0.002, step: 0.0002 } }]);
    expect(world.quote(1.105)).toBe(true);
    expect(world.turn('k1')).toEqual({ position: 7, sl: 1.103 });
  });

  it('has one change in flight at a time, and then catches up with the best price', () => {
    const world = new World();
    world.trail();
    world.quote(1.105);
    // The turn is asked for once.
    expect(world.quote(1.106)).toBe(false);
    expect(world.turn('k1')).toEqual({ position: 7, sl: 1.104 });
    expect(world.quote(1.108)).toBe(false);
    world.execute('k1', 1.104);
    expect(world.quote(1.107)).toBe(true);
    expect(world.turn('k2')).toEqual({ position: 7, sl: 1.106 });
  });

  it('sends nothing on a netting account while an entry of the symbol is in flight, which changes the same position', () => {
    for (const isNetting of [true, false]) {
      const world = new World();
      world.trail();
      const options = { volume: 0.1 };
      const intent = { id: 'e1', action: 'enter', side: 'buy', stream: 'eur', options } as const;
      world.deliver({ type: 'intent', intent, circumstances: undisturbed, key: 'k0' });
      expect(world.core.state.holdings.inFlight).toMatchObject([{ isEntry: true, symbol: 'EURUSD' }]);
      expect(world.quote(1.105)).toBe(true);
      expect(world.turn('k1', true, isNetting)).toEqual(isNetting ? null : { position: 7, sl: 1.103 });
      // It does not ask for the account with every quote.
      expect(world.quote(1.106)).toBe(false);
      world.nowMs += 1_000;
      expect(world.quote(1.106)).toBe(isNetting);
    }
  });

  it('sends nothing while a request of the strategy for the position is in flight', () => {
    const world = new World();
    world.trail();
    const intent = { id: 'p1', action: 'protect', position: 7, broker: null, tp: 1.3 } as const;
    world.deliver({ type: 'intent', intent, circumstances: null, key: 'k0' });
    expect(world.quote(1.105)).toBe(false);
    world.execute('k0', 1.09);
    expect(world.quote(1.105)).toBe(true);
  });

  it('sends nothing when a person has set a nearer stop-loss before its turn, or the account could not be read', () => {
    const world = new World();
    world.trail();
    world.quote(1.105);
    world.shows(1.1035);
    expect(world.turn('k1')).toBeNull();
    world.shows(1.09);
    world.quote(1.105);
    expect(world.turn('k2', false)).toBeNull();
    expect(world.quote(1.105)).toBe(false);
    world.nowMs += 1_000;
    expect(world.quote(1.105)).toBe(true);
  });

  it('waits after a refusal, each time twice as long, and reports it to the strategy', () => {
    const world = new World();
    world.trail();
    const waits = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
    for (const [index, waitMs] of waits.entries()) {
      expect(world.quote(1.105)).toBe(true);
      world.turn(`k${index}`);
      const told = world.refuse(`k${index}`).flatMap((effect) => (effect.type === 'notice' ? [effect] : []));
      expect(told).toMatchObject([{ record: { intentId: 't1', isTrailing: true }, notice: { type: 'rejected' } }]);
      world.nowMs += waitMs - 1;
      expect(world.quote(1.105)).toBe(false);
      world.nowMs += 1;
    }
    world.quote(1.105);
    world.turn('done');
    world.execute('done', 1.103);
    world.quote(1.106);
    world.turn('again');
    world.refuse('again');
    world.nowMs += 10_000;
    expect(world.quote(1.106)).toBe(true);
  });

  it('repeats a change that was refused for a reason that passes, if it is still due and nothing else is in flight', () => {
    const requote = 10004;
    const retried = (meanwhile: (world: World) => void): readonly unknown[] => {
      const world = new World();
      world.trail();
      world.quote(1.105);
      world.turn('k1');
      const waits = world.refuse('k1', requote, 'k1~1');
      expect(waits).toMatchObject([{ type: 'notice' }, { type: 'ask', effect: { type: 'wait to retry' } }]);
      meanwhile(world);
      const effects = world.deliver({ type: 'request', key: 'k1~1', event: { type: 'timer' } });
      return effects.flatMap((effect) => (effect.type === 'persist' ? (effect.change.intents ?? []) : []));
    };
    expect(retried(() => undefined)).toMatchObject([{ key: 'k1~1', state: 'open' }]);
    expect(retried((world) => world.shows(1.1035))).toMatchObject([{ key: 'k1~1', state: 'absent' }]);
    expect(retried((world) => world.trail(null))).toMatchObject([{ key: 'k1~1', state: 'absent' }]);
    const intent = { id: 'c1', action: 'close', volume: null, position: 7, broker: null } as const;
    const closes = (world: World) => world.deliver({ type: 'intent', intent, circumstances: null, key: 'k2' });
    expect(retried(closes)).toMatchObject([{ key: 'k1~1', state: 'absent' }]);
  });

  it('ends by the strategy, with the stop-loss where it is; a new one replaces it', () => {
    const world = new World();
    world.trail();
    world.quote(1.105);
    world.trail(null);
    expect(world.core.state.book.find('demo', 7)).toEqual(position);
    expect(world.turn('k1')).toBeNull();
    world.deliver({ type: 'trail', intent: { ...wanted, id: 't2', trail: { distance: 0.001, step: 0.0005 } } });
    // The best price counts from the call.
    expect(world.quote(1.104)).toBe(true);
    expect(world.turn('k2')).toEqual({ position: 7, sl: 1.103 });
  });

  it('goes on while the strategy is halted', () => {
    const world = new World();
    world.deliver({ type: 'halt', kind: 'persistent', reason: 'a loss' });
    world.trail();
    expect(world.quote(1.105)).toBe(true);
    expect(world.turn('k1')).toEqual({ position: 7, sl: 1.103 });
  });

  it('goes on with the ticket after a restart, and where it was in another core', () => {
    const world = new World();
    world.trail();
    const stored = world.core.state.book.find('demo', 7);
    expect(ticketShape(stored)).toBeNull();
    const next = new World([stored as OwnedTicket]);
    expect(next.quote(1.105)).toBe(true);
    next.replaced();
    expect(next.quote(1.104)).toBe(false);
    expect(next.turn('k1')).toEqual({ position: 7, sl: 1.103 });
  });

  it('receives the quotes of every stream of its symbol, and of no other', () => {
    const world = new World();
    world.deliver({
      type: 'respec',
      spec: {
        ...spec,
        streams: [
          { alias: 'fast', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' },
          { alias: 'gold', broker: 'demo', symbol: 'XAUUSD', timeframe: 'M1' },
          { alias: 'elsewhere', broker: 'other', symbol: 'EURUSD', timeframe: 'M1' },
        ],
      },
    });
    world.trail();
    expect([world.quote(1.105, 'gold'), world.quote(1.105, 'elsewhere'), world.quote(1.105, 'eur')]).not.toContain(
      true,
    );
    expect(world.quote(1.105, 'fast')).toBe(true);
  });

  it('ends when the position is reversed, with a warning', () => {
    const world = new World();
    world.trail();
    world.shows(1.12, PositionType.SELL);
    world.reverses();
    expect(world.quote(1.05)).toBe(false);
    const reason = 'position 7 was reversed: its trailing stop has ended';
    expect(world.effects).toContainEqual({ type: 'warn', reason });
    expect(world.core.state.book.find('demo', 7)).not.toHaveProperty('trail');
  });

  it('goes on after a list that shows the other side of its position without a deal', () => {
    const world = new World();
    world.trail();
    world.shows(1.12, PositionType.SELL);
    expect([world.quote(1.05), world.effects]).toEqual([false, []]);
    world.shows(1.09, PositionType.BUY);
    expect(world.quote(1.105)).toBe(true);
    expect(world.turn('k1')).toEqual({ position: 7, sl: 1.103 });
  });

  it('has the side that the deals of its position have, if a list still shows the other one', () => {
    const world = new World();
    world.reverses();
    world.trail();
    expect(world.quote(1.05)).toBe(false);
    world.shows(1.12, PositionType.SELL);
    expect(world.quote(1.05)).toBe(true);
  });

  it('is denied for a ticket that is not open, and for an order that has not filled', () => {
    const world = new World([{ ...position, ticket: 8, volumeIn: '0', side: undefined, working: true } as never]);
    const denials = [7, 8].map((ticket) =>
      world.deliver({ type: 'trail', intent: { ...wanted, position: ticket, trail: { distance: 1 } } }),
    );
    expect(denials.flat()).toMatchObject([
      { type: 'denied', reject: { intentId: 't1', reason: 'ticket 7 is not open or not owned by this strategy' } },
      { type: 'denied', reject: { reason: 'order 8 has not filled: a trailing stop needs a position' } },
    ]);
  });

  it('moves by exactly its step where the last digit of a price is near the end of a double', () => {
    const trail = { intentId: 't1', side: 'buy', distance: 0.08455014, step: 0.0309677, activateAt: null } as const;
    const best = 60_000.12140249;
    const quote = { timeMs: 0, bid: best, ask: best + 1 };
    const digital = { tickSize: 1e-8, digits: 8, stopsDistance: 0, freezeDistance: 0 };
    const levels = { price_open: 60_000, sl: 60_000.00588465, tp: 0 };
    expect(nextStop(trail, levels, { best, quote, terms: digital })).toBe(60_000.03685235);
  });
});
