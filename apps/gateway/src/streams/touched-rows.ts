import type { AccountChange } from '@libs/terminal-client';

/** More rows than this are read as the whole account. */
const mostRows = 40;

/** Rows that changed and have not been compared yet. */
export class TouchedRows {
  private positions = new Set<number>();
  private orders = new Set<number>();
  private isWider = false;

  get isEmpty(): boolean {
    return !this.isWider && this.positions.size === 0 && this.orders.size === 0;
  }

  add({ positions, orders, isWider }: AccountChange): void {
    for (const ticket of positions) this.positions.add(ticket);
    for (const ticket of orders) this.orders.add(ticket);
    this.isWider ||= isWider || this.positions.size + this.orders.size > mostRows;
    if (!this.isWider) return;
    this.positions.clear();
    this.orders.clear();
  }

  /** Whether the whole account has to be read. */
  get isWide(): boolean {
    return this.isWider;
  }

  /** Takes what changed since the last call; null if nothing did. */
  take(): AccountChange | null {
    if (this.isEmpty) return null;
    const { positions, orders, isWider } = this;
    this.clear();
    return { positions, orders, isWider };
  }

  clear(): void {
    this.positions = new Set();
    this.orders = new Set();
    this.isWider = false;
  }
}
