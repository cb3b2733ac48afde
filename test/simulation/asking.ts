import { PositionType, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { tagOfKey } from '../../apps/gateway/src/trade-journal/key-marks';
import type { Ask, AskKind, HttpRequest, Method, Variant } from './asks';
import { Bot, type BotWorld, type Temper } from './bot';
import type { SimulatedBroker } from './broker';
import type { FenceClaim } from './fenced-strategies';
import { secondVariants, tradedSymbols, type NumberedPrices } from './numbered-levels';
import { levelOf, levelsFor, marked, marksOf } from './order-marks';
import { withOther } from './other-bodies';
import type { AskStep, CloseLimit, FencedAsk, OtherMember, RepeatStep } from './steps';
import type { SeededRandom } from './seeded-random';
import { cancelMarker, changeMarker, closeMarker, openMarker } from './sends';

export interface AskingWorld extends BotWorld {
  readonly broker: SimulatedBroker;
  readonly random: SeededRandom;
  /** The strategies with leases. */
  readonly strategies: {
    claimOf(ask: FencedAsk): FenceClaim | null;
    magicOf(ask: FencedAsk): number;
  };
}

/** What the request of one client is made with. */
interface Making {
  readonly keyed: Keyed;
  readonly key: string;
  readonly number: number;
  readonly random: SeededRandom;
  readonly prices: NumberedPrices;
  /** The magic number of its strategy; null if it has no lease. */
  readonly magic: number | null;
  /** When its order is to expire, in UTC milliseconds; null if the step does not say it. */
  readonly expiresMs: number | null;
}

const repeatTimeoutMs = 60_000;

/** An account that the gateway does not trade for. */
const otherLogin = '900002';

/** Orders that differ in nothing but their keys. */
const alikeOrder = { symbol: 'EURUSD', type: 'BUY', volume: 0.03, magic: 777, comment: 'alike' } as const;

/** Turns the steps of a plan into requests of clients, and follows each until its last word is said. */
export class Asking {
  /** Requests that a client waits for. */
  private readonly pursued = new Set<Ask>();
  /** Other parameters that a client may come to use under the key of an order. */
  private readonly otherVariants = new Map<Ask, Variant>();

  constructor(private readonly world: AskingWorld) {}

  /** @param id of the step; what is asked for depends on it, and not on the steps before */
  begin(step: AskStep & { readonly id: number }): void {
    const { world } = this;
    const number = step.id + 1;
    if (number >= secondVariants) return;
    const random = world.random.fork(`ask ${number}`);
    const key = `k${number}`;
    const fence = step.fence ? world.strategies.claimOf(step.fence) : null;
    const variants = this.variants(step, key, number, random, fence);
    if (!variants) return;
    const { ticket, first, second } = variants;
    const ask: Ask = {
      ...{ key, kind: step.ask, client: `bot ${number % 5}`, variants: [first], ticket, isStray: step.stray === true },
      ...{ fence, lastWord: 'open', beingHandled: 0, isForgotten: false },
      ...{ order: null, doneMarker: null, success: null },
    };
    world.book.add(ask);
    if (second) this.otherVariants.set(ask, second);
    if (step.ask === 'close_all') world.book.addTag(tagOfKey(key), ask);
    world.trace(
      `${key} wants ${step.ask} ${ticket || ''} (${step.temper}): ${JSON.stringify(first.request.body ?? {})}`,
    );
    this.pursue(ask, random, step.temper, second);
  }

  /** Everything has its last word, and no client waits. */
  get isOver(): boolean {
    return this.pursued.size === 0 && this.world.book.open.length === 0;
  }

  /** Asks on for what may still come of a request that arrived after its client had given up. */
  resume(): void {
    for (const ask of this.world.book.open) {
      if (!this.pursued.has(ask)) this.pursue(ask, this.world.random.fork(`resumed ${ask.key}`), 'patient', null);
    }
  }

  /** A client repeats a request that has its last word, or uses its key for another one: nothing is sent for it. */
  repeat({ which, changed = false, other }: RepeatStep): void {
    if (other !== undefined) return this.repeatWithOther(which, other);
    const { book, http } = this.world;
    const settled = [...book.asks.values()].filter(
      (ask) => ask.lastWord === 'done' && (!changed || this.otherVariants.has(ask)),
    );
    // Mostly one of the last: what a crash may have taken.
    const ask = oneOf(which < 0.3 ? settled : settled.slice(-4), which);
    const variant = ask && changed ? this.otherVariants.get(ask) : ask?.variants[0];
    if (!ask || !variant) return;
    book.addVariant(ask, variant);
    void http.ask(variant.request, repeatTimeoutMs);
  }

  /** A client uses a key again with another level or volume, also while its request is being handled. */
  private repeatWithOther(which: number, other: OtherMember): void {
    const { book, broker, http, trace } = this.world;
    const others = [...book.asks.values()].slice(-12).flatMap((ask) => {
      const isTaken = ask.lastWord === 'done' || (ask.lastWord === 'open' && ask.beingHandled > 0);
      const variant = isTaken && !ask.isStray ? withOther(ask, other, broker) : null;
      return variant ? [{ ask, variant }] : [];
    });
    const chosen = oneOf(others, which);
    if (!chosen) return;
    const { ask, variant } = chosen;
    trace(`${ask.key} with another ${other}: ${JSON.stringify(variant.request.body)}`);
    book.addVariant(ask, variant);
    void http.ask(variant.request, repeatTimeoutMs);
  }

  /** The request under whose key something is sent. */
  askOf({ headers, body }: HttpRequest): Ask | undefined {
    const key = headers?.['idempotency-key'] ?? (body && 'client_order_id' in body ? body.client_order_id : undefined);
    return typeof key === 'string' ? this.world.book.asks.get(key) : undefined;
  }

  private pursue(ask: Ask, random: SeededRandom, temper: Temper, second: Variant | null): void {
    this.pursued.add(ask);
    void new Bot(this.world, random, ask, temper, second).pursue().then(() => this.pursued.delete(ask));
  }

  private variants(
    step: AskStep,
    key: string,
    number: number,
    random: SeededRandom,
    fence: FenceClaim | null,
  ): Wanted | null {
    const { book, prices } = this.world.broker;
    const magic = step.fence ? this.world.strategies.magicOf(step.fence) : null;
    const extra = {
      ...(step.stray === true ? { 'x-expect-login': otherLogin } : {}),
      ...(fence ? { 'x-fence': `${fence.name};${fence.token}` } : {}),
    };
    const keyed: Keyed = (method, url, body) => {
      const made = request(method, url, body, key, random);
      return { ...made, headers: { ...made.headers, ...extra } };
    };
    const { startMs, elapsedMs } = this.world.time;
    const expiresMs = step.expiresInMs === undefined ? null : wholeSeconds(startMs + elapsedMs + step.expiresInMs);
    const making: Making = { keyed, key, number, random, prices, magic, expiresMs };
    const position = oneOf(ofStrategy([...book.positions.values()], magic), step.which);
    const order = oneOf(ofStrategy([...book.orders.values()], magic), step.which);
    switch (step.ask) {
      case 'open': {
        const second = open({ ...making, number: number + secondVariants }, true);
        return { ticket: 0, first: step.alike ? alike(keyed) : open(making, false), second };
      }
      case 'pending':
        return { ticket: 0, first: pending(making), second: null };
      case 'close':
      case 'close_partial':
        return withTarget(position, (target) => closing(making, step.ask, target));
      case 'levels':
      case 'clear_levels':
        return withTarget(position, (target) => levels(making, step.ask, target));
      case 'tiny_levels':
        return withTarget(position, ({ ticket }) => ({
          request: keyed('POST', '/modify_sl_tp', { position: ticket, [random.pick(['sl', 'tp'])]: 0.000_001 }),
          marker: changeMarker(ticket, number),
          levels: {},
        }));
      case 'modify_order':
        return withTarget(order, (target) => change(making, target));
      case 'cancel':
        return withTarget(order, ({ ticket }) => ({
          request: keyed('DELETE', `/orders/${ticket}`),
          marker: cancelMarker(ticket),
        }));
      case 'close_all':
        return closingAll(keyed, step.only, position);
    }
  }
}

interface Wanted {
  readonly ticket: number;
  readonly first: Variant;
  readonly second: Variant | null;
}

type Keyed = (method: Method, url: string, body?: object) => HttpRequest;

function request(
  method: Method,
  url: string,
  body: object | undefined,
  key: string,
  random: SeededRandom,
): HttpRequest {
  const inBody = body !== undefined && random.chance(0.3);
  const headers = {
    ...(inBody ? {} : { 'idempotency-key': key }),
    ...(random.chance(0.2) ? { 'x-expect-login': '100001' } : {}),
  };
  return {
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: inBody ? { ...body, client_order_id: key } : body }),
  };
}

function withTarget<T extends { readonly ticket: number }>(
  target: T | undefined,
  make: (target: T) => Variant,
): Wanted | null {
  return target ? { ticket: target.ticket, first: make(target), second: null } : null;
}

function oneOf<T>(all: readonly T[], which: number): T | undefined {
  return all[Math.floor(which * all.length)];
}

/** What has the magic number of a strategy; everything if there is none. */
function ofStrategy<T extends { readonly magic: number }>(all: readonly T[], magic: number | null): readonly T[] {
  const own = all.filter((one) => one.magic === magic);
  return own.length > 0 ? own : all;
}

function alike(keyed: Keyed): Variant {
  const { magic, comment } = alikeOrder;
  return { request: keyed('POST', '/order', alikeOrder), marker: openMarker(magic, comment), levels: {} };
}

/** @param other with marks of its own, so that it differs from the first parameters under the key */
function open({ keyed, key, number, random, prices, magic }: Making, other: boolean): Variant {
  const symbol = random.pick(tradedSymbols);
  const type = random.pick(['BUY', 'SELL'] as const);
  const marks = marksOf(key, number, random, other ? 10_000 + number : magic);
  const wanted = levelsFor(prices, symbol, type, number, random);
  const volume = random.integer(1, 9) / 100;
  return {
    ...marked(keyed('POST', '/order', { symbol, type, volume, ...marks.fields, ...wanted }), marks),
    levels: wanted,
  };
}

/** Beyond the end of every run, whatever day its clock is set to. */
const expiration = '2030-03-05T10:00:00Z';

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/** An instant in one of the forms that the gateway reads. */
function instantIn(utcMs: number, number: number): string | number {
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
  const forms = [`${iso(utcMs)}Z`, `${iso(utcMs + 5.5 * 3_600_000)}+05:30`, iso(utcMs), utcMs / 1_000];
  return forms[number % forms.length] ?? utcMs / 1_000;
}

function pending({ keyed, key, number, random, prices, magic, expiresMs }: Making): Variant {
  const symbol = random.pick(tradedSymbols);
  const type = random.pick(['BUY_LIMIT', 'SELL_LIMIT'] as const);
  const price = prices.price(symbol, type === 'BUY_LIMIT' ? 'buyAt' : 'sellAt', number);
  const marks = marksOf(key, number, random, magic);
  const wanted = levelsFor(prices, symbol, type === 'BUY_LIMIT' ? 'BUY' : 'SELL', number, random);
  const body = {
    ...{ symbol, type, volume: random.integer(1, 9) / 100, price, ...marks.fields, ...wanted },
    ...(random.chance(0.4) ? { expiration } : {}),
  };
  const atMs = expiresMs ?? ('expiration' in body ? Date.parse(expiration) : undefined);
  const expiring = { ...body, ...(expiresMs === null ? {} : { expiration: instantIn(expiresMs, number) }) };
  return {
    ...{ ...marked(keyed('POST', '/order', expiring), marks), levels: wanted },
    ...(atMs === undefined ? {} : { expiresMs: atMs }),
  };
}

function closing({ keyed, key, number, random }: Making, kind: AskKind, position: TradePosition): Variant {
  const { ticket, volume } = position;
  const comment = random.chance(0.5) ? `c${number}` : undefined;
  const marker = closeMarker(ticket, comment ?? tagOfKey(key));
  const extra = comment === undefined ? {} : { comment };
  if (kind === 'close_partial' && volume > 0.015) {
    return { request: keyed('POST', '/position_close_partial', { ticket, volume: 0.01, ...extra }), marker };
  }
  return { request: keyed('POST', '/close_position', { position: ticket, ...extra }), marker };
}

/** All positions, or those that are like one of them. */
function closingAll(keyed: Keyed, only: CloseLimit | undefined, like: TradePosition | undefined): Wanted | null {
  if (only !== undefined && like === undefined) return null;
  const limit = only === undefined || like === undefined ? {} : limitTo(only, like);
  return { ticket: 0, first: { request: keyed('POST', '/close_all_positions', limit), marker: null }, second: null };
}

function limitTo(only: CloseLimit, { symbol, magic, type }: TradePosition): object {
  const limits = {
    symbol: { symbol },
    magic: { magic },
    side: { order_type: type === PositionType.BUY ? 'BUY' : 'sell' },
  };
  return limits[only];
}

function levels({ keyed, number, random, prices }: Making, kind: AskKind, position: TradePosition): Variant {
  const { ticket, symbol, type } = position;
  const side = type === PositionType.BUY ? 'BUY' : 'SELL';
  const marker = changeMarker(ticket, number);
  const tp = levelOf(prices, symbol, side, 'tp', number);
  if (kind === 'clear_levels') {
    const body = { position: ticket, clear_sl: true, tp };
    return { request: keyed('POST', '/modify_sl_tp', body), marker, levels: { sl: null, tp } };
  }
  if (random.chance(0.05)) {
    // Rounds to no level at all.
    return { request: keyed('POST', '/modify_sl_tp', { position: ticket, sl: 1e-6 }), marker, levels: { sl: 1e-6 } };
  }
  const which = random.weighted({ sl: 2, tp: 1, both: 1 });
  const sl = levelOf(prices, symbol, side, 'sl', number);
  const wanted = { ...(which === 'tp' ? {} : { sl }), ...(which === 'sl' ? {} : { tp }) };
  return { request: keyed('POST', '/modify_sl_tp', { position: ticket, ...wanted }), marker, levels: wanted };
}

function change({ keyed, number, random, prices, expiresMs }: Making, order: TradeOrder): Variant {
  const { ticket, symbol, type } = order;
  const isBuy = type % 2 === 0;
  const marker = changeMarker(ticket, number);
  const isOfPrice = random.chance(0.5);
  if (expiresMs !== null) {
    const price = prices.price(symbol, isBuy ? 'buyAt' : 'sellAt', number);
    const body = { price, expiration: instantIn(expiresMs, number) };
    return { request: keyed('PUT', `/orders/${ticket}`, body), marker, levels: { price }, expiresMs };
  }
  if (isOfPrice) {
    const price = prices.price(symbol, isBuy ? 'buyAt' : 'sellAt', number);
    return { request: keyed('PUT', `/orders/${ticket}`, { price }), marker, levels: { price } };
  }
  const sl = levelOf(prices, symbol, isBuy ? 'BUY' : 'SELL', 'sl', number);
  return { request: keyed('PUT', `/orders/${ticket}`, { sl }), marker, levels: { sl } };
}
