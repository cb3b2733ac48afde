import { isBuyOrder } from '@libs/terminal-client';
import type { MarketSymbol } from '../market/market';
import { BarPath, type Crossing } from './bar-path';
import type { ActiveOrder, OpenPosition } from './book';
import { type Desk, isHedging, netPosition } from './desk';
import { isStopLimit } from './pending-orders';
import type { Triggered } from './triggered';
import { beyondOf, type Level, levels, levelTrigger, openOn, triggerOf, waitingOn } from './triggers';

/** What the path reaches next: an order's price, or a level of a position. */
type Step = Crossing &
  (
    | { readonly kind: 'order'; readonly order: ActiveOrder }
    | { readonly kind: 'level'; readonly position: OpenPosition; readonly level: Level }
  );

/**
 * Fills what one symbol's price reaches on its path from one point of a bar to the next, in the order of the path. The
 * quote stands at the point of each fill, so that margin and conversion use the prices of that point.
 */
export class BarWalk {
  private readonly path: BarPath;
  private readonly beyond: number;
  /** Orders that were filled on this path: an order takes the depth of a quote once. */
  private readonly filled = new Set<number>();
  /** Point of the path at which an order or a position came into being, by ticket; the start for all others. */
  private readonly since = new Map<number, number>();

  constructor(
    private readonly desk: Desk,
    private readonly symbol: MarketSymbol,
    private readonly triggered: Triggered,
  ) {
    const { before, quote } = symbol.feed;
    this.path = new BarPath(before, quote, symbol.spec.digits);
    this.beyond = beyondOf(symbol.spec, symbol.feed.source.limitFill);
  }

  /** Fills everything; the quote stands at the end of the path afterwards. */
  run(): void {
    const { path } = this;
    const { quote } = this.symbol.feed;
    for (let step = this.next(); step !== null; step = this.next()) {
      path.show(step.share, quote);
      if (step.kind === 'level') this.triggered.close(step.position, step.level, this.symbol, step.price);
      else this.carryOut(step.order, step);
    }
    path.show(1, quote);
  }

  private carryOut(order: ActiveOrder, { share, price }: Crossing): void {
    // The limit order or the position that it becomes exists from here.
    this.since.set(order.ticket, share);
    if (isStopLimit(order.type)) return this.triggered.convert(order);
    this.filled.add(order.ticket);
    this.triggered.fill(order, this.symbol, price);
    const net = isHedging(this.desk) ? null : netPosition(this.desk, order.symbol);
    if (net) this.since.set(net.ticket, share);
  }

  /** What the path reaches first; at one point orders come before levels, and each in the order of the book. */
  private next(): Step | null {
    const { book } = this.desk;
    return [
      ...waitingOn(book, this.symbol).flatMap((order) => this.stepOf(order)),
      ...openOn(book, this.symbol).flatMap((position) => levels.flatMap((level) => this.levelStep(position, level))),
    ].reduce<Step | null>((first, step) => (first === null || step.share < first.share ? step : first), null);
  }

  private stepOf(order: ActiveOrder): Step[] {
    if (this.filled.has(order.ticket)) return [];
    const trigger = triggerOf(order);
    const crossing = trigger
      ? this.path.crossing(trigger, this.sinceOf(order), this.beyond)
      : this.path.end(isBuyOrder(order.type) ? 'ask' : 'bid');
    return crossing ? [{ ...crossing, kind: 'order', order }] : [];
  }

  private levelStep(position: OpenPosition, level: Level): Step[] {
    const trigger = levelTrigger(position, level);
    const crossing = trigger && this.path.crossing(trigger, this.sinceOf(position), this.beyond);
    return crossing ? [{ ...crossing, kind: 'level', position, level }] : [];
  }

  private sinceOf({ ticket }: { readonly ticket: number }): number {
    return this.since.get(ticket) ?? 0;
  }
}
