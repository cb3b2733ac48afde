import type { ModifySlTpRequest } from '@libs/gateway-client';
import type { IntentRecord } from './records';
import type { StrategyBook } from './strategy-book';
import { isWanted, type InFlightRequests } from './in-flight-requests';
import type { IntentFacts, IntentLife } from './intent-life';
import { isCloser } from './trails';
import { isClose } from './plan';

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
  return new PresentFacts(record, requests, book, moment);
}

/** The facts of a moment. Those of the book are computed when they are read: few steps do. */
class PresentFacts implements IntentFacts {
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly isStopping: boolean;
  readonly hasGateway: boolean;
  readonly journalId: string | null;

  constructor(
    private readonly record: IntentRecord,
    private readonly requests: InFlightRequests,
    private readonly book: StrategyBook,
    moment: RequestMoment,
  ) {
    this.nowMs = moment.nowMs;
    this.monotonicMs = moment.monotonicMs;
    this.isStopping = moment.isStopping;
    this.hasGateway = moment.hasGateway;
    this.journalId = moment.journalId;
  }

  get openVolume(): string | null {
    const { broker, ticket } = this.record;
    return ticket === null ? null : this.book.bookedVolume(broker, ticket);
  }

  get isSettled(): boolean {
    const { broker, ticket } = this.record;
    return !this.book.unsettled(broker).some((owned) => owned.ticket === ticket);
  }

  /** Whether nothing else is in flight for its position or order. */
  private get isAlone(): boolean {
    const { key, broker, ticket } = this.record;
    return !this.requests.requests.some(
      ({ record }) => record.key !== key && record.broker === broker && record.ticket === ticket,
    );
  }

  get isWanted(): boolean {
    const { record, requests, book, isStopping } = this;
    if (record.isTrailing === true && !(this.isAlone && isStopDue(record, book))) return false;
    const openVolume = record.ticket === null ? null : book.heldVolume(record.broker, record.ticket);
    return isWanted(requests, record, { isHalted: book.record.halt !== null, isStopping, openVolume });
  }
}

/** Whether the stop-loss of a trailing stop is still to be moved there: not if a nearer one was set, or the trail has ended. */
function isStopDue({ broker, ticket, intentId, call }: IntentRecord, book: StrategyBook): boolean {
  const trail = ticket === null ? undefined : book.find(broker, ticket)?.trail;
  if (ticket === null || trail?.intentId !== intentId) return false;
  const { sl } = call.body as ModifySlTpRequest;
  return sl === undefined || isCloser(trail.side, sl, book.positionRow(broker, ticket)?.sl ?? 0);
}

/**
 * Whether the books show the effect of an executed request, compared with their state when it was made.
 * @param order the order that it became, which is the ticket of an entry; null if unknown
 */
export function isShown(book: StrategyBook, { record, volumeBefore }: IntentLife, order: number | null): boolean {
  const { broker, ticket } = record;
  const agrees = (number: number): boolean => !book.unsettled(broker).some((owned) => owned.ticket === number);
  if (record.isEntry) return order === null || agrees(order);
  if (ticket === null) return true;
  if (isClose(record)) return agrees(ticket) && book.bookedVolume(broker, ticket) !== volumeBefore;
  return record.call.method !== 'DELETE' || (!book.orderRow(broker, ticket) && agrees(ticket));
}
