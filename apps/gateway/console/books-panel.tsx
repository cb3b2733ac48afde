import type { Difference, Reconciliation, UnresolvedRequest } from '@libs/gateway-client';
import { Action } from './action';
import type { Desk } from './desk';
import { isReadOnly } from './permission';
import { adviceOnDifference, isUndecidable } from './request-advice';
import { RequestLink } from './request-link';
import { askToAccept } from './request-panel';
import { SendProblem } from './send-problem';
import { timeText } from './strategy-view';
import { Foreign, Panel } from './text';

/** Requests of unknown outcome, and differences between the broker and the journal, with what to do about each. */
export function BooksPanel({ desk }: { readonly desk: Desk }) {
  return (
    <Panel id="books" title="Unknown outcomes and differences" feed={desk.books}>
      {(books) => <Books desk={desk} books={books} />}
    </Panel>
  );
}

/** Whether it has anything to be done. */
export function hasOpenBooks({ books }: Desk): boolean {
  const known = books.reading.value.value;
  return known !== null && known.unresolved.length + known.differences.length > 0;
}

function Books({ desk, books }: { readonly desk: Desk; readonly books: Reconciliation }) {
  const { unresolved, differences } = books;
  return (
    <>
      {unresolved.length === 0 ? (
        <p>No request has an unknown outcome.</p>
      ) : (
        <ul id="unresolved">
          {unresolved.map((request) => (
            <Unresolved key={request.id} desk={desk} request={request} />
          ))}
        </ul>
      )}
      {differences.length === 0 ? (
        <p>No differences from the journal.</p>
      ) : (
        <ul id="differences">
          {differences.map((difference, index) => (
            <DifferenceItem key={index} difference={difference} />
          ))}
        </ul>
      )}
    </>
  );
}

function Unresolved({ desk, request }: { readonly desk: Desk; readonly request: UnresolvedRequest }) {
  const { client_order_id: key, id, route, created_at: at, sends } = request;
  const reason = isReadOnly(desk) ? 'this key is read-only' : null;
  return (
    <li>
      <b class="state unknown">unknown</b> {route} of {timeText(at)} UTC:{' '}
      {key === null ? <code>{id}</code> : <RequestLink desk={desk} name={key} />}
      {sends.map(({ intent_id: send, symbol, reason: why }) => (
        <p key={send}>
          <SendProblem symbol={symbol} reason={why} />
        </p>
      ))}
      {isUndecidable(request) ? (
        <p class="advice">
          The look-ups have ended without a result. Compare with the broker, then accept it.{' '}
          <Action label="Accept" target={key ?? id} reason={reason} onClick={() => askToAccept(desk, key ?? id)} />
        </p>
      ) : (
        <p class="advice">The gateway is looking it up. Do not send another request for the same purpose.</p>
      )}
    </li>
  );
}

function DifferenceItem({ difference }: { readonly difference: Difference }) {
  return (
    <li>
      <Foreign text={difference.message} />
      <p class="advice">{adviceOnDifference(difference)}</p>
    </li>
  );
}
