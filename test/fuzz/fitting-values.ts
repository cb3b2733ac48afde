import type { SeededRandom } from '../simulation/seeded-random';
import type { Schema } from './documented-operations';
import type { KnownThings } from './known-things';

export const fuzzedSymbols = ['EURUSD', 'USDJPY', 'GBPUSD'];

/** What values are made from. */
export interface Source {
  readonly random: SeededRandom;
  readonly known: KnownThings;
  /** Virtual wall time, in epoch milliseconds. */
  readonly nowMs: number;
}

const minuteMs = 60_000;

/** A value that a field or parameter may well have: by its name where that says more than its schema. */
export function fittingValue(name: string, schema: Schema, source: Source): unknown {
  const { random, known, nowMs } = source;
  switch (name) {
    case 'symbol':
      return random.pick(fuzzedSymbols);
    case 'symbols':
      return fuzzedSymbols.slice(0, random.integer(1, fuzzedSymbols.length)).join(',');
    case 'volume':
      return random.pick([0.01, 0.02, 0.05, 0.1]);
    case 'price':
    case 'stoplimit':
    case 'sl':
    case 'tp':
      return levelNear(source);
    case 'ticket':
      return anyTicket(source);
    case 'position':
      return positionOf(schema, source);
    case 'magic':
      return random.pick([0, 7_001, known.one('magic', random) ?? 1]);
    case 'key':
    case 'client_order_id':
    case 'Idempotency-Key':
      return random.chance(0.75) ? `key-${random.integer(1, 1_000_000_000)}` : (known.one('key', random) ?? 'key-1');
    case 'cursor':
      return known.one('cursor', random) ?? 'none';
    case 'journal_id':
      return known.one('journal', random) ?? 'none';
    case 'X-Expect-Login':
      return 100_001;
    case 'num_bars':
    case 'start_pos':
    case 'limit':
      return random.integer(1, 50);
    case 'since':
    case 'Last-Event-ID':
      return schema.format === 'date-time' ? new Date(nowMs - minuteMs).toISOString() : eventId(source);
    case 'flags':
      return random.pick(['all', 'info', 'trade']);
    case 'name':
      return random.pick(['solo', 'book', 'book%2Fa', 'removed', 'nobody']);
    case 'portfolio':
      return random.pick(['book', 'book', 'solo']);
    case 'alias':
      return random.pick(['a', 'b', 'nobody']);
    case 'lines':
      return random.integer(0, 300);
    case 'expiration':
      return new Date(nowMs + random.integer(2, 3_000) * minuteMs).toISOString();
    case 'start':
    case 'from_date':
      return new Date(nowMs - random.pick([1, 5, 30, 30, 600]) * minuteMs).toISOString();
    case 'end':
    case 'to_date':
      return new Date(nowMs + random.integer(0, 5) * minuteMs).toISOString();
    default:
      return ofSchema(schema, random);
  }
}

/** Of an event of the log, or next to one; or of none. */
function eventId({ random, known }: Source): number {
  const event = random.chance(0.6) ? Number(known.one('event', random) ?? 0) : random.integer(0, 200);
  return Math.max(0, event + random.pick([0, 0, -1, 1]));
}

/** A price on either side of the market, mostly on its grid. */
function levelNear({ random, known }: Source): number {
  const symbol = random.pick(fuzzedSymbols);
  const share = random.pick([0.9, 0.97, 0.99, 1, 1.01, 1.03, 1.1]);
  return Number((known.price(symbol) * share).toFixed(random.pick([3, 5, 5, 8])));
}

/** Mostly of something that is open now. */
function anyTicket({ random, known }: Source): string | number {
  const kind = random.weighted({ position: 40, order: 40, ticket: 20 });
  return known.one(kind, random) ?? known.one('ticket', random) ?? 1;
}

function positionOf(schema: Schema, source: Source): unknown {
  const { random, known } = source;
  const ticket = known.one('position', random) ?? anyTicket(source);
  const takesRow = schema.oneOf?.some(({ type }) => type === 'object') === true;
  return takesRow && random.chance(0.5) ? { ticket, symbol: 'EURUSD', volume: 0.01 } : ticket;
}

function ofSchema(schema: Schema, random: SeededRandom): unknown {
  const among = schema.oneOf ?? schema.anyOf;
  if (among) return ofSchema(random.pick(among), random);
  if (schema.enum) return random.pick(schema.enum);
  const { type, example, minimum = 0, maximum = 1_000 } = schema;
  if (example !== undefined && random.chance(0.3)) return example;
  switch (typeof type === 'string' ? type : type?.[0]) {
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number':
      return random.integer(minimum, Math.min(maximum, minimum + 1_000));
    default:
      return example ?? 'text';
  }
}

/** A body with all required fields and some of the others; mostly one that the broker executes. */
export function fittingBody({ properties = {}, required = [] }: Schema, source: Source): Record<string, unknown> {
  const { random } = source;
  // Few optional fields fit each other: an order with all of them is always rejected.
  const share = random.pick([0, 0.1, 0.4]);
  const body = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || random.chance(share))
      .map(([name, schema]) => [name, fittingValue(name, schema, source)]),
  );
  const isOrder = 'stoplimit' in properties && 'volume' in properties;
  return isOrder && random.chance(0.8) ? executable(body, source) : body;
}

/** The order with a type, price and levels that fit the market. */
function executable(body: Readonly<Record<string, unknown>>, { random, known }: Source): Record<string, unknown> {
  const { price: _price, stoplimit: _stoplimit, expiration, ...rest } = body;
  const symbol = String(body['symbol']);
  const at = (share: number): number => Number((known.price(symbol) * share).toFixed(symbol === 'USDJPY' ? 3 : 5));
  const isBuy = random.chance(0.5);
  const kind = random.weighted({ market: 60, LIMIT: 20, STOP: 20 });
  const isBelow = isBuy === (kind === 'LIMIT');
  return {
    ...rest,
    type: `${isBuy ? 'BUY' : 'SELL'}${kind === 'market' ? '' : `_${kind}`}`,
    ...(kind === 'market'
      ? {}
      : { price: at(isBelow ? 0.97 : 1.03), ...(expiration === undefined ? {} : { expiration }) }),
    ...('sl' in body ? { sl: at(isBuy ? 0.9 : 1.1) } : {}),
    ...('tp' in body ? { tp: at(isBuy ? 1.1 : 0.9) } : {}),
  };
}
