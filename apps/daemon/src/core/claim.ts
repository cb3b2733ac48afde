import type { OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord, OwnedTicket } from '../state/records';
import { expiresMsOf } from './intent-call';

/** The ticket of an entry, before any of its deals is booked. */
export function claimOf(record: IntentRecord, ticket: number, state: OrderAnswer['state']): OwnedTicket {
  const expiresMs = expiresMsOf(record.call);
  return {
    strategy: record.strategy,
    broker: record.broker,
    ticket,
    stream: record.stream ?? '',
    symbol: record.symbol ?? '',
    intentId: record.intentId,
    deals: [],
    volumeIn: '0',
    volumeOut: '0',
    // An order filled in full has ended; of any other the rest may still wait.
    working: state !== 'executed',
    ...(expiresMs === null ? {} : { expiresMs }),
    closed: false,
  };
}

/**
 * Whether an entry's ticket has been claimed before. Its outcome may be found out a second time, when the disk took
 * what it brought and not that it was known: a fresh claim would have every deal of the ticket booked again.
 * @param remembered what is known under the number of the ticket
 */
export function isClaimed({ intentId }: IntentRecord, remembered: OwnedTicket | null): boolean {
  if (remembered === null) return false;
  // One that another intent brought is of an account that was behind the gateway before; an adopted one has no intent.
  return remembered.intentId === null || remembered.intentId === intentId;
}
