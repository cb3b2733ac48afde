import type { TradeDeal } from '@libs/terminal-client';
import type { FillLookUp } from '../invariants/only-accepted';

/** What the gateway saw of fills, by the order's ticket. */
export class FillLookUps {
  private readonly all = new Map<number, FillLookUp>();

  of(order: number): FillLookUp {
    return this.all.get(order) ?? 'none';
  }

  began(order: number): void {
    if (!this.all.has(order)) this.all.set(order, 'no fill');
  }

  /** A deal without a price does not show a fill. */
  answered(order: number, deals: readonly TradeDeal[]): void {
    if (deals.some(({ price, volume }) => price > 0 && volume > 0)) this.all.set(order, 'fill');
  }
}
