import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Fill, Quote, Stream } from '@libs/strategy';
import * as fc from 'fast-check';
import { undisturbed, type Holdings } from '../core/risk';
import type { StackRecord } from '../core/stack';
import {
  intentOf,
  next,
  stacksOf,
  type Layer,
  type Moment,
  type StackEffect,
  type StackEvent,
  type Stacks,
} from '../core/stacks';
import { blankRecord, type OwnedTicket } from '../core/records';
import { StrategyBook } from '../core/strategy-book';
import { spec } from '../core/testing/spec';

/** The only stream. */
export const euro: Stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
/** Options of a stack that expires after a second of market time. */
export const options = { direction: 'buy', layers: 3, spacing: 0.001, volume: 0.1, within: 1_000 } as const;
/** The intent of a stack. */
export const wanted = { id: 's1', action: 'stack', stream: 'main', options } as const;
/** The fill of its first layer. */
export const fill: Fill = {
  ...{ stream: 'main', symbol: 'EURUSD', side: 'buy', volume: 0.1, price: 1.1, position: 7, deal: 1 },
  ...{ entry: 'in', reason: 'strategy', intentId: 's1', tag: null, realized: 0, timeMs: 0 },
};
/** A ticket of the strategy. */
export const owned = (ticket: number, closed = false): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'main', symbol: 'EURUSD', intentId: null },
  ...{ deals: [], volumeIn: '0.1', volumeOut: '0', closed },
});
/** A quote with a spread of a pip. */
export const quote = (ask: number): Quote => ({ timeMs: 0, bid: ask - 0.0001, ask });
/** A strategy that owns these tickets and has nothing in flight. */
export const holding = (tickets: readonly number[] = [7], streams: readonly Stream[] = [euro]): Holdings => {
  return {
    book: new StrategyBook(
      { ...spec, streams },
      blankRecord('ema'),
      tickets.map((one) => owned(one)),
    ),
    inFlight: [],
  };
};

/** What happens at random. Numbers select among what is possible at the moment. */
export type Chance =
  | { readonly what: 'price'; readonly points: number }
  | {
      readonly what:
        'open' | 'turn' | 'fill' | 'part' | 'reject' | 'unwritten' | 'close' | 'seen' | 'drop' | 'restart' | 'halt';
    }
  | { readonly what: 'time'; readonly ms: number }
  | { readonly what: 'deny'; readonly denies: boolean };

/** Mostly prices, turns and fills. */
export const chances: fc.Arbitrary<Chance> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant('price' as const), points: fc.integer({ min: -300, max: 400 }) }),
  },
  ...(['open', 'turn', 'fill', 'part', 'seen'] as const).map((what) => ({
    weight: 4,
    arbitrary: fc.constant({ what }),
  })),
  ...(['reject', 'unwritten', 'close', 'drop', 'restart', 'halt'] as const).map((what) => ({
    weight: 1,
    arbitrary: fc.constant({ what }),
  })),
  { weight: 1, arbitrary: fc.record({ what: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('deny' as const), denies: fc.boolean() }) },
);

/** A market, a broker and a disk around the stacks. @throws AssertionError at the first broken promise */
export class StackWorld {
  private stacks = stacksOf([]);
  private readonly disk = new Map<string, StackRecord>();
  private readonly holdings = holding([]);
  private turns: Layer[] = [];
  private inFlight: { readonly id: string; readonly isPart: boolean }[] = [];
  private readonly entered = new Set<string>();
  private readonly tickets = new Map<string, number>();
  /** Entries of this start: their writes may fail. */
  private readonly unwritten = new Set<string>();
  private readonly ended = new Set<string>();
  private ask = 1.1;
  private marketMs = 0;
  private isDenied = false;
  private count = 0;

  happens(chance: Chance): void {
    switch (chance.what) {
      case 'price':
        this.ask = Number((this.ask + chance.points / 100_000).toFixed(5));
        return this.step({ type: 'quote', stream: 'main', quote: quote(this.ask) });
      case 'open': {
        const direction = ++this.count % 2 === 0 ? 'sell' : 'buy';
        const intent = { ...wanted, id: `s${this.count}`, options: { ...options, direction } } as const;
        return this.step({ type: 'wanted', intent, unfit: null, moment: this.moment });
      }
      case 'turn': {
        const layer = this.turns.shift();
        return layer && this.step({ type: 'turn', layer, moment: this.moment });
      }
      case 'fill':
      case 'part':
        return this.fill(chance.what === 'part');
      case 'reject': {
        const sent = this.inFlight.shift();
        if (!sent || sent.isPart) return;
        this.step({ type: 'rejected', reject: { intentId: sent.id, kind: 'rejected', reason: 'no', retcode: null } });
        return this.over(sent.id);
      }
      case 'unwritten':
        return this.deny();
      case 'close': {
        const [ticket] = this.holdings.book.openTickets;
        return ticket && this.holdings.book.apply({ tickets: [{ ...ticket, closed: true }] });
      }
      case 'seen':
        return this.step({ type: 'account seen', marketMs: this.marketMs });
      case 'drop':
        this.turns = [];
        return this.step({ type: 'turns dropped' });
      case 'restart':
        this.turns = [];
        this.unwritten.clear();
        this.stacks = stacksOf([...this.disk.values()].filter(({ over }) => !over));
        return this.step({ type: 'restarted', intents: this.inFlight.map(({ id }) => id) });
      case 'halt':
        return this.step({ type: 'halted', reason: 'a loss' });
      case 'time':
        this.marketMs += chance.ms;
        return;
      case 'deny':
        this.isDenied = chance.denies;
        return;
    }
  }

  private get moment(): Moment {
    const circumstances = { ...undisturbed, staleSymbol: this.isDenied };
    return { quote: quote(this.ask), marketMs: this.marketMs, circumstances };
  }

  private ticketOf(id: string): number {
    const ticket = this.tickets.get(id) ?? 100 + this.tickets.size;
    this.tickets.set(id, ticket);
    return ticket;
  }

  private fill(isPart: boolean): void {
    const sent = this.inFlight.shift();
    if (!sent) return;
    const ticket = this.ticketOf(sent.id);
    this.holdings.book.apply({ tickets: [owned(ticket)] });
    this.step({ type: 'filled', fills: [{ ...fill, intentId: sent.id, position: ticket, price: this.ask }] });
    if (isPart && !sent.isPart) this.inFlight.unshift({ id: sent.id, isPart: true });
    else this.over(sent.id);
  }

  /** The last entry could not be written, so it is not sent. */
  private deny(): void {
    const last = this.inFlight.at(-1);
    // What was sent before a restart was written.
    if (!last || last.isPart || !this.unwritten.delete(last.id)) return;
    this.inFlight.pop();
    this.entered.delete(last.id);
    const reject = { intentId: last.id, kind: 'denied', reason: 'the state cannot be written', retcode: null } as const;
    this.step({ type: 'rejected', reject });
    this.over(last.id);
    const [stackId, layer] = last.id.split('/');
    const stack = this.stacks.open.find(({ id }) => id === stackId);
    if (layer === undefined) ok(!stack, `stack ${stackId} is open without its first layer`);
    else if (stack) ok(stack.waiting.includes(Number(layer)), `${last.id} does not wait again`);
  }

  private over(id: string): void {
    const [stackId = '', layer] = id.split('/');
    if (layer !== undefined) this.step({ type: 'entered', layer: { stackId, layer: Number(layer), stream: 'main' } });
  }

  private step(event: StackEvent): void {
    const before = this.stacks;
    const { stacks, effects } = next(before, event, this.holdings);
    // Plain data: a copy takes the same step.
    const copied = next(JSON.parse(JSON.stringify(before)) as Stacks, event, this.holdings);
    strictEqual(JSON.stringify(copied), JSON.stringify({ stacks, effects }), 'the stacks are not plain data');
    this.stacks = stacks;
    for (const effect of effects) this.perform(effect, before);
    // A restart loses nothing: what is open is on disk as it is in memory.
    const onDisk = [...this.disk.values()].filter(({ over }) => !over);
    deepStrictEqual(onDisk, stacks.open);
    for (const { id } of stacks.open) ok(!this.ended.has(id), `stack ${id} is open after its end`);
  }

  private perform(effect: StackEffect, before: Stacks): void {
    switch (effect.type) {
      case 'enter':
        this.checkEntry(effect.intent.id, effect.stack, before);
        this.entered.add(effect.intent.id);
        this.unwritten.add(effect.intent.id);
        this.inFlight.push({ id: effect.intent.id, isPart: false });
        return this.write(effect.stack);
      case 'queue':
        ok(!this.turns.map(intentOf).includes(intentOf(effect.layer)), 'a layer is queued twice');
        this.turns.push(effect.layer);
        return;
      case 'end':
        this.ended.add(effect.stack.id);
        return this.write(effect.stack);
      case 'persist':
        return this.write(effect.stack);
      case 'deny':
        return ok(this.isDenied, effect.reason);
    }
  }

  private checkEntry(id: string, { anchor, side, spacing, expiresMs }: StackRecord, before: Stacks): void {
    ok(!this.entered.has(id), `${id} is entered twice`);
    ok(!this.isDenied, `${id} is entered against a denial`);
    const [stackId = '', layer] = id.split('/');
    if (layer === undefined) return;
    ok(
      before.open.some((one) => one.id === stackId),
      `${id} is entered after the end of its stack`,
    );
    ok(this.marketMs <= expiresMs, `${id} is entered after its stack expired`);
    if (anchor === null) throw new Error('a layer was entered before the first one was filled');
    const distance = side === 'buy' ? this.ask - anchor : anchor - (this.ask - 0.0001);
    ok(distance > spacing * (Number(layer) - 1) - 1e-9, `${id} is entered before its price is reached`);
  }

  private write(record: StackRecord): void {
    this.disk.set(record.id, record);
  }
}
