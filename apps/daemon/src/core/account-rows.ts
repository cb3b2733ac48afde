import type { OrderRecord, PositionRecord } from '@libs/gateway-client';
import { PositionType } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { OwnedTicket } from './records';
import { isWorking, openVolume } from './deal-booking';

/** An account snapshot, indexed by the tickets of the books. */
export class AccountRows {
  private readonly byIdentifier: Rows<PositionRecord>;
  private readonly byOrder: Rows<OrderRecord>;
  private profitSum: number | null = null;
  private byMagic: ReadonlyMap<number, readonly PositionRecord[]> | null = null;

  constructor(
    readonly positions: readonly PositionRecord[],
    readonly orders: readonly OrderRecord[],
    /** Floating profit of the account when it was last read; null if it is unknown, absent where no account can contradict the rows. */
    readonly accountProfit?: number | null,
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

  /** Floating profit of all positions of the list. */
  get profits(): number {
    return (this.profitSum ??= this.positions.reduce((sum, { profit }) => sum + profit, 0));
  }

  /** Its rows alone, as a recording has them. */
  toJSON(): object {
    const { positions, orders, accountProfit } = this;
    return accountProfit === undefined ? { positions, orders } : { positions, orders, accountProfit };
  }

  /** In the order of the list. */
  positionsOf(magic: number): readonly PositionRecord[] {
    const { positions } = this;
    if (positions.length <= mostFiltered) return positions.filter((row) => row.magic === magic);
    this.byMagic ??= groupedByMagic(positions);
    return this.byMagic.get(magic) ?? [];
  }
}

/** Most rows that are searched one by one: an index of so few costs more than it saves. */
const mostSearched = 8;
/** The same for the rows of a magic number, which every strategy of the account asks for once a snapshot. */
const mostFiltered = 64;

function groupedByMagic(positions: readonly PositionRecord[]): ReadonlyMap<number, readonly PositionRecord[]> {
  const groups = new Map<number, PositionRecord[]>();
  for (const row of positions) {
    const group = groups.get(row.magic);
    if (group) group.push(row);
    else groups.set(row.magic, [row]);
  }
  return groups;
}

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

/** The rows of a ticket in the last account snapshot; undefined where it has none. */
export interface TicketRows {
  readonly position: Pick<PositionRecord, 'ticket' | 'type' | 'volume'> | undefined;
  readonly order: Pick<OrderRecord, 'volume_initial' | 'volume_current'> | undefined;
}

/**
 * Whether the rows of a ticket agree with its booked deals. If they do not, something happened that is not booked yet.
 * @param knownAs the ticket that its position has by the booked deals: a reversal and a rollover change it
 */
export function agrees(owned: OwnedTicket, { position, order }: TicketRows, knownAs: number): boolean {
  if (isWorking(owned) && !order) return false;
  // The position that an order filled into may be closed already. On a netting account it may also be another one.
  if (order && new Decimal(order.volume_initial).minus(order.volume_current).gt(owned.volumeIn)) return false;
  if (!position) return isWorking(owned) && openVolume(owned).isZero();
  const side = position.type === PositionType.BUY ? 'buy' : 'sell';
  return position.ticket === knownAs && isOpen(owned, position.volume) && (owned.side ?? side) === side;
}

/** Whether so many lots are open by the booked deals. Mostly the texts are the same, and nothing is to be computed. */
function isOpen(owned: OwnedTicket, lots: number): boolean {
  const isSameText = owned.volumeOut === '0' && owned.volumeIn === String(lots);
  return isSameText || openVolume(owned).eq(lots);
}
