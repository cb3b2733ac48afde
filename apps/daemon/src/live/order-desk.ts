import type { Quote } from '@libs/strategy';
import type { LayerEvent, TrailIntent } from '../core/core-event';
import { brokersOf, countUnknown, problemOf, requestOf, supersededExits } from '../core/in-flight-requests';
import { isHeld } from '../core/intent-lifecycle';
import type { OrderIntent } from '../core/plan';
import type { IntentRecord, OwnedTicket } from '../core/records';
import type { Conclusion } from '../core/request-lifecycle';
import type { Circumstances, Holdings } from '../core/risk';
import { objectionToOrder, objectionToStatement } from '../core/settlement-objection';
import type { PendingLayer } from '../core/stack';
import { waitingLayers, type Layer, type Moment, type StackIntent } from '../core/stacks';
import { type StopTerms, isTrailed } from '../core/trails';
import type { CoreNotices } from './trading-events';
import type { LiveCore } from './live-core';
import { gatewayOf, type DeskSurroundings, type Origin } from './surroundings';

/** Executes the intents of one strategy, each of which is checked and denied or sent, and moves its stacks and trailing stops. */
export class OrderDesk {
  constructor(
    private readonly core: LiveCore,
    private readonly around: DeskSurroundings,
  ) {}

  /** Orders by outcome; `stale` counts the `denied` entries that were decided on a late bar. */
  get counts(): CoreNotices['counts'] {
    return this.core.notices.counts;
  }

  /** Requests of unknown outcome, and exits that are sent again. */
  get inFlight(): number {
    return this.holdings.inFlight.length;
  }

  /** Executed orders whose request has ended, and that the account does not show yet, neither as an order nor as a position. */
  get awaited(): readonly OwnedTicket[] {
    const { book, inFlight } = this.holdings;
    const isInFlight = ({ broker, intentId }: OwnedTicket): boolean =>
      inFlight.some((record) => record.broker === broker && record.intentId === intentId);
    return book.awaited.filter((owned) => !isInFlight(owned));
  }

  /** Requests of unknown outcome that are looked up. */
  get unknown(): number {
    return countUnknown(this.core.state.requests);
  }

  /** Gateways of the in-flight requests, configured or not. */
  get brokersOnTheWay(): readonly string[] {
    return brokersOf(this.core.state.requests);
  }

  /** In-flight requests of one gateway: an outage of one gateway does not affect the others. */
  inFlightOn(broker: string): number {
    return this.core.state.inFlightOn(broker);
  }

  /** In-flight entries: each may have opened a position. */
  get entriesInFlight(): number {
    return this.holdings.inFlight.filter(({ isEntry }) => isEntry).length;
  }

  /** What the strategy owns and has requested. */
  get holdings(): Holdings {
    return this.core.state.holdings;
  }

  /** Why an exit failed or an outcome stays unknown; null without such a problem. */
  get problem(): string | null {
    const { book, requests } = this.core.state;
    return problemOf(requests, (broker, ticket) => book.owns(broker, ticket));
  }

  /** Layers of stacks that wait for their price. */
  get pendingLayers(): readonly PendingLayer[] {
    return waitingLayers(this.core.state.stacks);
  }

  /**
   * Returns when the outcome is certain and the books show it, or when its recovery continues in the background.
   * @param circumstances of an entry on a stream that exists; they do not matter to anything else
   */
  async carryOut(intent: OrderIntent, origin: Origin, circumstances: Circumstances | null = null): Promise<void> {
    const key = this.around.keys.next();
    await this.core.deliver({ type: 'intent', intent, circumstances, key }, origin);
  }

  /**
   * Enters the first layer of a stack, or denies the stack.
   * @param unfit why the account of its stream cannot have a stack; null if it can
   * @param moment null for a stream that does not exist
   */
  async openStack(intent: StackIntent, origin: Origin, unfit: string | null, moment: Moment | null): Promise<void> {
    await this.deliverLayer({ type: 'wanted', intent, unfit, moment }, origin);
  }

  /**
   * Enters the next layer of a stack, unless the market has left its price or the entry is denied.
   * @param moment null if its stream no longer exists
   */
  async enterLayer(layer: Layer, origin: Origin, moment: Moment | null): Promise<void> {
    try {
      await this.deliverLayer({ type: 'turn', layer, moment }, origin);
    } finally {
      void this.core.deliver({ type: 'stack', event: { type: 'entered', layer } });
    }
  }

  /** The queue was cleared: layers in it wait for their price again. */
  turnsDropped(): void {
    void this.core.deliver({ type: 'stack', event: { type: 'turns dropped' } });
  }

  /** Sets or ends a trailing stop. Resolves when it is on disk, or when the disk has refused it. */
  async setTrail(intent: TrailIntent): Promise<void> {
    await this.core.deliver({ type: 'trail', intent });
  }

  /**
   * Resolves when no trailing stop is moving the stop-loss of a position: a later change of the strategy must not be overtaken by
   * it.
   */
  async trailSettled(position: number): Promise<void> {
    await this.core.moved(this.core.state.book.named(position));
  }

  /**
   * Delivers a quote to open stacks and to trailing stops. Emits the trading event `reached` for each layer that it reaches.
   * @param terms null while the specification of its symbol is not known
   */
  see(stream: string, quote: Quote, terms: StopTerms | null): void {
    const { core } = this;
    if (core.state.stacks.open.length > 0)
      void core.deliver({ type: 'stack', event: { type: 'quote', stream, quote } });
    if (terms === null || !core.state.book.openTickets.some(isTrailed)) return;
    const { tickSize, digits, stopsDistance, freezeDistance } = terms;
    const known = { tickSize, digits, stopsDistance, freezeDistance };
    void core.deliver({ type: 'price', stream, quote, terms: known });
  }

  /** Ends the stacks of an earlier start that never sent their first layer. @param intents of the stacks that did and are open */
  async takeUpStacks(intents: readonly string[]): Promise<void> {
    await this.core.deliver({ type: 'stack', event: { type: 'restarted', intents } });
  }

  /** Continues the outcome recovery of requests that an earlier start of the daemon left open. */
  takeUp(open: readonly IntentRecord[], superseded = this.supersededOf(open)): void {
    void this.core.deliver({ type: 'taken up', records: open, superseded });
  }

  /** Keys of those that a newer exit has superseded. @throws StateReadError */
  supersededOf(open: readonly IntentRecord[]): readonly string[] {
    const { store } = this.around;
    if (open.every(({ isEntry }) => isEntry)) return [];
    return supersededExits(open, store.intents(this.core.state.book.spec.name));
  }

  /**
   * Settles a request of unknown outcome with what the operator states.
   * @param order the order that the request became; null if it was not executed
   * @throws Error if its outcome is still being resolved, or if the broker's books contradict the statement
   */
  async settle(key: string, order: number | null): Promise<void> {
    const { around, core } = this;
    const record = this.heldRecord(key);
    const objection = order === null ? null : await this.objectionTo(record, order);
    if (objection !== null) throw new Error(objection);
    // It may have been settled during the check of the books.
    this.heldRecord(key);
    around.log.warning('operator settled an in-flight request', { key, order });
    const conclusion: Conclusion =
      order === null
        ? { kind: 'absent', reason: 'marked as not executed by the operator' }
        : { kind: 'done', status: 200, replayed: true, body: { result: { order } } };
    await core.deliver({ type: 'request', key, event: { type: 'settled', conclusion } });
  }

  private async deliverLayer(event: LayerEvent, origin: Origin): Promise<void> {
    await this.core.deliver({ type: 'layer', event, key: this.around.keys.next() }, origin);
  }

  /** The record of a request that waits for the operator. @throws Error if there is none under the key */
  private heldRecord(key: string): IntentRecord {
    const life = requestOf(this.core.state.requests, key);
    if (!life) throw new Error(`the strategy has no in-flight request ${key}`);
    if (!isHeld(life)) throw new Error(`the outcome of request ${key} is still being resolved`);
    return life.record;
  }

  /** Why a request cannot have become this order; null if it can. @throws what the read of the order throws */
  private async objectionTo(record: IntentRecord, order: number): Promise<string | null> {
    const { gateways } = this.around;
    const { broker } = record;
    const of = { hasGateway: gateways.has(broker), isOfAnother: this.isOfAnother(record, order) };
    const objection = objectionToStatement(record, order, of);
    if (objection !== null) return objection;
    return objectionToOrder(
      record,
      order,
      await gatewayOf(gateways, broker).session.client.reads.orderFromTicket(order),
    );
  }

  /** Whether an order is known to have come from another request. */
  private isOfAnother({ broker, intentId }: IntentRecord, order: number): boolean {
    const known = this.around.store.ticket(broker, order)?.intentId;
    const { intents } = this.core.state;
    return intents.isOfAnother(broker, order, intentId) || (known != null && known !== intentId);
  }
}
