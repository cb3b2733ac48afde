import type { OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord, OwnedTicket } from '../state/records';
import { expiresMsOf } from './intent-call';

/** The ticket that an entry brought, before anything of it is booked. */
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
