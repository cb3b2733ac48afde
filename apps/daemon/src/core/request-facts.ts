import type { IntentRecord } from '../state/records';
import type { StrategyBook } from './strategy-book';
import { isWanted, type InFlightRequests } from './in-flight-requests';
import type { IntentFacts } from './intent-lifecycle';

/** The state of the daemon and of a request's gateway at a moment. */
export type RequestMoment = Pick<IntentFacts, 'nowMs' | 'monotonicMs' | 'isStopping' | 'hasGateway' | 'journalId'>;

type TimeFacts = Pick<IntentFacts, 'nowMs' | 'monotonicMs' | 'openVolume'>;

/** The facts at which a request begins. */
export function timesOf(
  { broker, ticket }: Pick<IntentRecord, 'broker' | 'ticket'>,
  book: StrategyBook,
  { nowMs, monotonicMs }: Pick<RequestMoment, 'nowMs' | 'monotonicMs'>,
): TimeFacts {
  return { nowMs, monotonicMs, openVolume: ticket === null ? null : book.bookedVolume(broker, ticket) };
}

/** The facts that the next step of a request depends on. */
export function factsOf(
  record: IntentRecord,
  requests: InFlightRequests,
  book: StrategyBook,
  moment: RequestMoment,
): IntentFacts {
  const { broker, ticket } = record;
  const openVolume = ticket === null ? null : book.heldVolume(broker, ticket);
  const of = { isHalted: book.record.halt !== null, isStopping: moment.isStopping, openVolume };
  return { ...moment, ...timesOf(record, book, moment), isWanted: isWanted(requests, record, of) };
}
