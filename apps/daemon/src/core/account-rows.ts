import type { OrderRecord, PositionRecord } from '@libs/gateway-client';

/** An account snapshot, indexed by the tickets of the books. */
export class AccountRows {
  private readonly byIdentifier: Rows<PositionRecord>;
  private readonly byOrder: Rows<OrderRecord>;

  constructor(
    readonly positions: readonly PositionRecord[],
    readonly orders: readonly OrderRecord[],
  ) {
    // A reversal or a rollover gives a position another ticket; its identifier, which its deals carry, stays.
    this.byIdentifier = new Rows(positions, ({ identifier }) => identifier);
    this.byOrder = new Rows(orders, ({ ticket }) => ticket);
  }

  /** @param identifier ticket of the order that opened the position */
  position(identifier: number): PositionRecord | undefined {
    return this.byIdentifier.get(identifier);
  }

  order(ticket: number): OrderRecord | undefined {
    return this.byOrder.get(ticket);
  }

  /** Its rows alone, as a recording has them. */
  toJSON(): object {
    const { positions, orders } = this;
    return { positions, orders };
  }

  positionsOf(magic: number): readonly PositionRecord[] {
    return this.positions.filter((row) => row.magic === magic);
  }
}

/** Most rows that are searched one by one: an index of so few costs more than it saves. */
const mostSearched = 8;

/** Rows by a number of each. Of several with the same number, the last counts. */
class Rows<Row> {
  private index: ReadonlyMap<number, Row> | null = null;

  constructor(
    private readonly all: readonly Row[],
    private readonly numberOf: (row: Row) => number,
  ) {}

  get(number: number): Row | undefined {
    const { all, numberOf } = this;
    if (all.length <= mostSearched) return all.findLast((row) => numberOf(row) === number);
    this.index ??= new Map(all.map((row) => [numberOf(row), row]));
    return this.index.get(number);
  }
}
