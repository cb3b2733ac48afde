import { AccountFlow } from './account-flow';
import type { CoreEffect } from './core-effect';
import type { CoreEvent, CoreEventBody, CoreMoment } from './core-event';
import { CoreState, type CoreSnapshot } from './core-state';
import { OrderFlow } from './order-flow';
import { TrailFlow } from './trail-flow';

/**
 * The trading of one strategy: events in, effects out. It has no clock, does no I/O and waits for nothing, so that the
 * same events always give the same effects. A shell performs the effects: live, in a backtest, or in a replay.
 */
export class StrategyCore {
  readonly state: CoreState;
  private readonly orders: OrderFlow;
  private readonly trails: TrailFlow;
  private readonly account: AccountFlow;

  /** @param from the state of another core, or that of a start */
  constructor(from: CoreSnapshot) {
    this.state = new CoreState(from);
    this.orders = new OrderFlow(this.state);
    this.trails = new TrailFlow(this.state, this.orders);
    this.account = new AccountFlow(this.state, this.orders);
  }

  /** Handles an event. @param out receives its effects, in the order in which they are to be performed */
  handle(event: CoreEvent, out: CoreEffect[]): void {
    this.handleAt(event, event.at, out);
  }

  /** As {@link handle}, for a shell that does not record its events: the moment is not part of the event. */
  handleAt(event: CoreEventBody, at: CoreMoment, out: CoreEffect[]): void {
    const turn = { at, out };
    switch (event.type) {
      case 'intent':
      case 'layer':
      case 'stack':
      case 'taken up':
      case 'request':
      case 'order found':
      case 'persisted':
        return this.orders.handle(event, turn);
      case 'trail':
      case 'price':
      case 'trail turn':
        return this.trails.handle(event, turn);
      case 'state':
        return this.state.keep(event.state, turn);
      default:
        return this.account.handle(event, turn);
    }
  }
}
