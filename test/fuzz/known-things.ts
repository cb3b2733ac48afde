import type { SeededRandom } from '../simulation/seeded-random';
import { memberOf, parsedJson, type FuzzAnswer } from './fuzz-request';

const mostKept = 40;
const placeOf: Readonly<Record<string, Kind>> = {
  ticket: 'ticket',
  order: 'ticket',
  deal: 'ticket',
  position: 'ticket',
  position_id: 'ticket',
  key: 'key',
  client_order_id: 'key',
  next_cursor: 'cursor',
  cursor: 'cursor',
  journal_id: 'journal',
  magic: 'magic',
  seq: 'event',
  first_seq: 'event',
  last_seq: 'event',
};

/** What an answer can name that a later request may use. */
export type Kind = 'ticket' | 'position' | 'order' | 'key' | 'cursor' | 'journal' | 'magic' | 'event';

/** What the answers of a run have named: a request that uses it gets past the first checks. */
export class KnownThings {
  private readonly values: Record<Kind, (string | number)[]> = {
    ...{ ticket: [], position: [], order: [], key: [], cursor: [], journal: [], magic: [], event: [] },
  };
  private readonly prices = new Map<string, number>();

  /** Reads what an answer names. */
  learn({ text, headers }: FuzzAnswer): void {
    if (headers['content-type']?.startsWith('application/json') !== true || text.length > 200_000) return;
    this.walk(parsedJson(text), 4);
  }

  add(kind: Kind, value: string | number): void {
    const all = this.values[kind];
    if (all.includes(value)) return;
    all.push(value);
    if (all.length > mostKept) all.shift();
  }

  /** All there are of a kind, now. */
  set(kind: Kind, values: Iterable<string | number>): void {
    this.values[kind] = [...values].slice(-mostKept);
  }

  /** One of a kind; undefined when none is known. */
  one(kind: Kind, random: SeededRandom): string | number | undefined {
    const all = this.values[kind];
    return all.length === 0 ? undefined : random.pick(all);
  }

  /** The last bid of a symbol. */
  price(symbol: string): number {
    return this.prices.get(symbol) ?? 1.1;
  }

  private walk(value: unknown, levels: number): void {
    if (typeof value !== 'object' || value === null || levels === 0) return;
    if (Array.isArray(value)) {
      // The newest rows come last.
      for (const each of value.slice(-5)) this.walk(each, levels - 1);
      return;
    }
    const symbol = memberOf(value, 'symbol') ?? memberOf(value, 'name');
    const bid = memberOf(value, 'bid') ?? memberOf(value, 'price_current');
    if (typeof symbol === 'string' && typeof bid === 'number' && bid > 0) this.prices.set(symbol, bid);
    for (const [name, member] of Object.entries(value)) {
      const kind = placeOf[name];
      const isNamed = (typeof member === 'number' && member > 0) || (typeof member === 'string' && member !== '');
      if (kind && isNamed) this.add(kind, member);
      else this.walk(member, levels - 1);
    }
  }
}
