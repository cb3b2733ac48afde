import { planOf, type OrderIntent } from '../core/plan';
import { denial } from '../core/rejection';
import type { Circumstances, Holdings } from '../core/risk';
import { objectionToOrder, objectionToStatement } from '../core/settlement-objection';
import type { IntentRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import type { DurableBook } from './durable-book';
import type { InFlight } from './in-flight';
import { OpenRequests } from './open-requests';
import type { StrategyBook } from '../core/strategy-book';
import type { Submissions } from './submissions';
import { gatewayOf } from './traded-gateway';

/** Executes the intents of one strategy: each is checked, and denied or sent. */
export class OrderDesk {
  private readonly book: StrategyBook;
  private readonly requests: OpenRequests;
  private denied = 0;
  private stale = 0;

  constructor(
    ledger: DurableBook,
    private readonly requestsInFlight: InFlight,
    private readonly around: DeskSurroundings,
  ) {
    this.book = ledger.book;
    this.requests = new OpenRequests(ledger, requestsInFlight, around);
  }

  /** Orders by outcome; `stale` counts the `denied` entries that were decided on a late bar. */
  get counts(): OpenRequests['counts'] & { readonly denied: number; readonly stale: number } {
    return { ...this.requests.counts, denied: this.denied, stale: this.stale };
  }

  get submissions(): Submissions {
    return this.requests.submissions;
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
    return this.requestsInFlight.countOn(broker);
  }

  /** In-flight entries: each may have opened a position. */
  get entriesInFlight(): number {
    return this.requestsInFlight.records.filter(({ isEntry }) => isEntry).length;
  }

  /** What the strategy owns and has requested. */
  get holdings(): Holdings {
    return { book: this.book, inFlight: this.requestsInFlight.records };
  }

  /** Why an exit failed or an outcome cannot be resolved; null if there is no such problem. */
  get problem(): string | null {
    return this.requestsInFlight.problemOf(this.book);
  }

  /**
   * Returns when the outcome is certain and the books show it, or when its recovery continues in the background.
   * @param circumstances of an entry on a stream that exists; they do not matter to anything else
   * @param along changes that become durable together with the intent
   */
  async carryOut(
    intent: OrderIntent,
    origin: Origin,
    circumstances: Circumstances | null = null,
    along: Change = {},
  ): Promise<void> {
    const { around, requests } = this;
    const plan = planOf(intent, this.holdings, circumstances);
    if (typeof plan === 'string') return this.deny(intent.id, plan, circumstances?.staleBarMs);
    if (!around.gateways.has(plan.broker)) return this.deny(intent.id, `gateway ${plan.broker} is not configured`);
    const reason = await requests.send(plan, intent.id, origin, along);
    if (reason !== null) this.deny(intent.id, reason);
  }

  /** Continues the outcome recovery of requests that an earlier start of the daemon left open. */
  takeUp(open: readonly IntentRecord[]): void {
    this.requests.takeUp(open);
  }

  /**
   * Settles a request whose outcome cannot be resolved, as stated by the operator.
   * @param order the order that the request became; null if it was not executed
   * @throws Error if its outcome is still being resolved, or if the broker's books contradict the statement
   */
  async settle(key: string, order: number | null): Promise<void> {
    const { around, requests } = this;
    const { record } = requests.heldOne(key);
    const objection = order === null ? null : await this.objectionTo(record, order);
    if (objection !== null) throw new Error(objection);
    // It may have been settled during the check of the books.
    requests.heldOne(key);
    around.log.warning('operator settled an in-flight request', { key, order });
    await requests.settle(
      key,
      order === null
        ? { kind: 'absent', reason: 'marked as not executed by the operator' }
        : { kind: 'done', status: 200, replayed: true, body: { result: { order } } },
    );
  }

  /** Why a request cannot have become this order; null if it can. @throws what the read of the order throws */
  private async objectionTo(record: IntentRecord, order: number): Promise<string | null> {
    const { around, requests } = this;
    const { broker } = record;
    const of = { hasGateway: around.gateways.has(broker), isOfAnother: requests.isOfAnother(record, order) };
    const objection = objectionToStatement(record, order, of);
    if (objection !== null) return objection;
    return objectionToOrder(
      record,
      order,
      await gatewayOf(around.gateways, broker).session.client.reads.orderFromTicket(order),
    );
  }

  /**
   * Denies an intent before anything is sent.
   * @param staleBarMs how late the bar was that it was decided on, in milliseconds of market time; null: in time
   */
  deny(intentId: string, reason: string, staleBarMs: number | null = null): void {
    this.denied++;
    if (staleBarMs !== null) this.stale++;
    const details = staleBarMs === null ? {} : { barLateMs: staleBarMs };
    this.around.log.warning('an intent was denied', { intent: intentId, reason, ...details });
    this.around.events.emit({ type: 'rejected', reject: denial(intentId, reason) });
  }
}
