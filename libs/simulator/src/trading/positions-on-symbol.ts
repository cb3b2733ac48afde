import { PositionType, type TradePosition } from '@libs/terminal-client';
import { LegSum, type LegWeight, weigh } from '../money/leg-sum';

/** A position, with what the broker keeps beside its record. */
export interface OpenPosition extends TradePosition {
  /** Deposit currency for one unit of margin currency, when it was opened. */
  margin_rate: number;
}

/** The long and the short side of a symbol. */
export interface Sides {
  readonly buys: LegSum;
  readonly sells: LegSum;
}

export const noSides: Sides = { buys: LegSum.none, sells: LegSum.none };

/** What a position adds to its side. */
interface Weighed {
  readonly type: number;
  readonly weight: LegWeight;
}

/** The open positions of one symbol, with their sums: a change costs the same with any number of positions. */
export class PositionsOnSymbol {
  private readonly byTicket = new Map<number, OpenPosition>();
  private readonly weighed = new Map<number, Weighed>();
  private sums = noSides;
  /** Grows with every change of one of them. */
  version = 0;

  get size(): number {
    return this.byTicket.size;
  }

  /** In the order in which they came. */
  all(): IterableIterator<OpenPosition> {
    return this.byTicket.values();
  }

  get sides(): Sides {
    return this.sums;
  }

  /** Adds a position, or takes over its change. */
  put(position: OpenPosition): void {
    const { ticket, type, volume, price_open: price, margin_rate: rate } = position;
    const weight = weigh({ volume, price, rate });
    this.takeWeight(ticket);
    this.sums = sidesWith(this.sums, type, weight);
    this.weighed.set(ticket, { type, weight });
    this.byTicket.set(ticket, position);
    this.version++;
  }

  remove(ticket: number): void {
    this.takeWeight(ticket);
    this.weighed.delete(ticket);
    this.byTicket.delete(ticket);
    this.version++;
  }

  private takeWeight(ticket: number): void {
    const known = this.weighed.get(ticket);
    if (!known) return;
    const { buys, sells } = this.sums;
    const isBuy = known.type === PositionType.BUY;
    this.sums = isBuy ? { buys: buys.minus(known.weight), sells } : { buys, sells: sells.minus(known.weight) };
  }
}

/** The sides with one position more. */
export function sidesWith({ buys, sells }: Sides, type: number, weight: LegWeight): Sides {
  return type === PositionType.BUY ? { buys: buys.plus(weight), sells } : { buys, sells: sells.plus(weight) };
}
