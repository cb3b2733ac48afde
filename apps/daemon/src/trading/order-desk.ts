import type { LayerEvent } from '../core/core-event';
import type { OrderIntent } from '../core/plan';
import type { Conclusion } from '../core/request-lifecycle';
import type { Circumstances, Holdings } from '../core/risk';
import { objectionToOrder, objectionToStatement } from '../core/settlement-objection';
import type { IntentRecord } from '../core/records';
import { supersededExits } from '../core/superseded-exits';
import type { CoreNotices } from './core-notices';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import { InFlight } from './in-flight';
import type { LiveCore } from './live-core';
import type { Submissions } from './submissions';
import { gatewayOf } from './traded-gateway';

/** Executes the intents of one strategy: each is checked, and denied or sent. */
export class OrderDesk {
  private readonly requestsInFlight: InFlight;

  constructor(
    private readonly core: LiveCore,
    private readonly around: DeskSurroundings,
  ) {
    this.requestsInFlight = new InFlight(core.state);
  }

  /** Orders by outcome; `stale` counts the `denied` entries that were decided on a late bar. */
  get counts(): CoreNotices['counts'] {
    return this.core.notices.counts;
  }

  get submissions(): Submissions {
    return this.core.requests.submissions;
  }

  /** Requests whose outcome is unknown, and exits that wait for a retry. */
  get inFlight(): number {
    return this.requestsInFlight.records.length;
  }

  /** Requests whose outcome is being resolved. */
  get unknown(): number {
    return this.requestsInFlight.unknown;
  }

  /** Gateways of the in-flight requests, configured or not. */
  get brokersOnTheWay(): readonly string[] {
    return this.requestsInFlight.brokers;
  }

  /** In-flight requests of one gateway: an outage of one gateway does not affect the others. */
  inFlightOn(broker: string): number {
    return this.core.state.inFlightOn(broker);
  }

  /** In-flight entries: each may have opened a position. */
  get entriesInFlight(): number {
    return this.requestsInFlight.records.filter(({ isEntry }) => isEntry).length;
  }

  /** What the strategy owns and has requested. */
  get holdings(): Holdings {
    return this.core.state.holdings;
  }

  /** Why an exit failed or an outcome cannot be resolved; null if there is no such problem. */
  get problem(): string | null {
    return this.requestsInFlight.problem;
  }

  /**
   * Returns when the outcome is certain and the books show it, or when its recovery continues in the background.
   * @param circumstances of an entry on a stream that exists; they do not matter to anything else
   */
  async carryOut(intent: OrderIntent, origin: Origin, circumstances: Circumstances | null = null): Promise<void> {
    const key = this.around.keys.next();
    await this.core.deliver({ type: 'intent', intent, circumstances, key }, origin);
  }

  /** Delivers an event that may enter a layer of a stack; returns as {@link carryOut} does. */
  async enterLayer(event: LayerEvent, origin: Origin): Promise<void> {
    await this.core.deliver({ type: 'layer', event, key: this.around.keys.next() }, origin);
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
   * Settles a request whose outcome cannot be resolved, as stated by the operator.
   * @param order the order that the request became; null if it was not executed
   * @throws Error if its outcome is still being resolved, or if the broker's books contradict the statement
   */
  async settle(key: string, order: number | null): Promise<void> {
    const { around, core } = this;
    const { requests } = core;
    const { record } = requests.heldOne(key);
    const objection = order === null ? null : await this.objectionTo(record, order);
    if (objection !== null) throw new Error(objection);
    // It may have been settled during the check of the books.
    requests.heldOne(key);
    around.log.warning('operator settled an in-flight request', { key, order });
    const conclusion: Conclusion =
      order === null
        ? { kind: 'absent', reason: 'marked as not executed by the operator' }
        : { kind: 'done', status: 200, replayed: true, body: { result: { order } } };
    await core.deliver({ type: 'request', key, event: { type: 'settled', conclusion } });
  }

  /** Why a request cannot have become this order; null if it can. @throws what the read of the order throws */
  private async objectionTo(record: IntentRecord, order: number): Promise<string | null> {
    const { around, core } = this;
    const { broker } = record;
    const of = { hasGateway: around.gateways.has(broker), isOfAnother: core.requests.isOfAnother(record, order) };
    const objection = objectionToStatement(record, order, of);
    if (objection !== null) return objection;
    return objectionToOrder(
      record,
      order,
      await gatewayOf(around.gateways, broker).session.client.reads.orderFromTicket(order),
    );
  }
}
