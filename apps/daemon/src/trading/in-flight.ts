import type { DealRecord } from '@libs/gateway-client';
import { brokersOf, countUnknown, noRequests, problemOf, type InFlightRequests } from '../core/in-flight-requests';
import type { IntentRecord } from '../state/records';
import { OrderIntents } from '../core/order-intents';
import type { StrategyBook } from '../core/strategy-book';

/** The requests of one strategy that have not ended, and the orders that its intents became. */
export class InFlight {
  requests: InFlightRequests = noRequests;
  readonly intents = new OrderIntents();

  /** Requests whose outcome is unknown, and exits that wait for a retry. */
  get records(): readonly IntentRecord[] {
    return this.requests.requests.map(({ record }) => record);
  }

  /** Requests whose outcome is being resolved. */
  get unknown(): number {
    return countUnknown(this.requests);
  }

  /** Gateways of the requests, configured or not. */
  get brokers(): readonly string[] {
    return brokersOf(this.requests);
  }

  /** Number of requests on one gateway: an outage of one gateway does not affect the others. */
  countOn(broker: string): number {
    return this.records.filter((record) => record.broker === broker).length;
  }

  /** Why an exit failed or an outcome cannot be resolved; null if there is no such problem. */
  problemOf(book: StrategyBook): string | null {
    return problemOf(this.requests, (broker, ticket) => book.owns(broker, ticket));
  }

  /** The intent that caused a deal, if known; a deal may appear before the answer to its request. */
  intentOf(broker: string, deal: DealRecord): string | null {
    return this.intents.of(broker, deal, this.records);
  }
}
