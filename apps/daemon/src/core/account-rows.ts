import type { OrderRecord, PositionRecord } from '@libs/gateway-client';

/** An account snapshot, indexed by the tickets of the books. */
export class AccountRows {
  private readonly byIdentifier: ReadonlyMap<number, PositionRecord>;
  private readonly byOrder: ReadonlyMap<number, OrderRecord>;
  private readonly byMagic = new Map<number, PositionRecord[]>();

  constructor(
    readonly positions: readonly PositionRecord[],
    readonly orders: readonly OrderRecord[],
  ) {
    // A reversal or a rollover gives a position another ticket; its identifier, which its deals carry, stays.
    this.byIdentifier = new Map(positions.map((row) => [row.identifier, row]));
    this.byOrder = new Map(orders.map((row) => [row.ticket, row]));
    for (const row of positions) this.byMagic.set(row.magic, [...(this.byMagic.get(row.magic) ?? []), row]);
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
    return this.byMagic.get(magic) ?? [];
  }
}
