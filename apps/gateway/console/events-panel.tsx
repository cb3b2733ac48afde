import { tradeEventText, type EventDigits, type TradeEventRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { now } from './feed';
import { resultClass } from './figures';
import { durationText } from './reading';
import { Foreign, Side } from './text';
import type { StreamState } from './trade-log';

/** @param time how long the stream has been in this state */
function stateText(state: StreamState, time: string): string {
  switch (state) {
    case 'connecting':
      return 'connecting';
    case 'connected':
      return 'live';
    case 'broken':
      return `not live for ${time}: the stream is broken and is being connected again`;
    case 'ended':
      return `not live for ${time}: the stream has ended`;
  }
}

function digitsOf(desk: Desk, { symbol }: TradeEventRecord): EventDigits {
  return { price: symbol ? desk.digits.of(symbol) : undefined, money: desk.moneyDigits };
}

/** What happened and to what, in columns; a record has its side in what it is about. */
function EventParts({ desk, event }: { readonly desk: Desk; readonly event: TradeEventRecord }) {
  const [what = '', symbol = '', ticket = '', magic = '', ...subject] = tradeEventText(
    event,
    digitsOf(desk, event),
  ).split('  ');
  const { type } = event.position ?? event.deal ?? event.order ?? {};
  const result = subject.at(-1)?.match(/^profit (-?[\d.]+)/)?.[1];
  return (
    <>
      <b>{what}</b> <Foreign text={symbol} /> <span class="side-of">{type !== undefined && <Side type={type} />}</span>{' '}
      <span class={resultClass(result === undefined ? null : Number(result))}>
        <Foreign text={subject.join(', ')} />
      </span>{' '}
      <small>
        {ticket}, {magic}
      </small>
    </>
  );
}

/** The event log as it happens. */
export function EventsPanel({ desk }: { readonly desk: Desk }) {
  const { state, sinceMs, lines } = desk.log;
  const isLive = state.value === 'connected' || state.value === 'connecting';
  return (
    <section id="events" class={`panel ${isLive ? '' : 'stale'}`} aria-labelledby="events-title">
      <h2 id="events-title">
        Trade events <small id="stream-state">{stateText(state.value, durationText(now.value - sinceMs))}</small>{' '}
        <small>· times are UTC</small>
      </h2>
      {lines.value.length === 0 && <p>{state.value === 'connected' ? 'No events yet.' : 'Not read yet.'}</p>}
      <ol class="log" tabIndex={0} aria-label="trade events">
        {lines.value.map(({ id, at, event, note }) => (
          <li key={id} class={event === null ? 'note' : 'event'}>
            {at !== null && <time dateTime={at}>{at.replace('T', ' ').replace('Z', '')}</time>}{' '}
            {event === null ? <Foreign text={note ?? ''} /> : <EventParts desk={desk} event={event} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
