import type { TradeOrder, TradePosition } from '@libs/terminal-client';
import type { Broker } from './broker';
import { listOrders, listPositions } from './history-lists';

/** The lists of one span of time: from an instant of the market on, until the next version. */
interface Version {
  /** UTC milliseconds. */
  readonly sinceMs: number;
  readonly positions: ReadonlyMap<number, TradePosition>;
  readonly orders: ReadonlyMap<number, TradeOrder>;
}

const all = (): boolean => true;

/** Positions and active orders as they were in the last milliseconds of market time. */
export class PastLists {
  /** The oldest first; one at least. */
  private versions: readonly Version[];

  constructor(
    broker: Broker,
    private readonly longestMs: number,
  ) {
    this.versions = [versionOf(broker)];
  }

  /** The books changed. */
  note(broker: Broker): void {
    const version = versionOf(broker);
    const oldestMs = version.sinceMs - this.longestMs;
    // The newest one of before is still in force at that instant.
    const from = this.versions.findLastIndex(({ sinceMs }) => sinceMs <= oldestMs);
    this.versions = [...this.versions.slice(Math.max(0, from)), version];
  }

  /** The lists at an instant (UTC milliseconds), or the oldest that are known. */
  at(ms: number): Pick<Version, 'positions' | 'orders'> | null {
    return this.versions.findLast(({ sinceMs }) => sinceMs <= ms) ?? this.versions[0] ?? null;
  }
}

function versionOf(broker: Broker): Version {
  const { book, market, server } = broker;
  const positions = listPositions(book, server.valuation, {}, all);
  const orders = listOrders(book, (order) => broker.orderPrice(order), {}, all);
  return {
    sinceMs: market.nowMs,
    positions: new Map(positions.map((row) => [row.ticket, row])),
    orders: new Map(orders.map((row) => [row.ticket, row])),
  };
}
