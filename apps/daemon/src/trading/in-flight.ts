import type { CoreState } from '../core/core-state';
import { brokersOf, countUnknown, problemOf } from '../core/in-flight-requests';
import type { IntentRecord } from '../core/records';

/** The requests of one strategy that have not ended. */
export class InFlight {
  constructor(private readonly state: CoreState) {}

  /** Requests whose outcome is unknown, and exits that wait for a retry. */
  get records(): readonly IntentRecord[] {
    return this.state.holdings.inFlight;
  }

  /** Requests whose outcome is being resolved. */
  get unknown(): number {
    return countUnknown(this.state.requests);
  }

  /** Gateways of the requests, configured or not. */
  get brokers(): readonly string[] {
    return brokersOf(this.state.requests);
  }

  /** Why an exit failed or an outcome cannot be resolved; null if there is no such problem. */
  get problem(): string | null {
    const { book, requests } = this.state;
    return problemOf(requests, (broker, ticket) => book.owns(broker, ticket));
  }
}
