import { tradeEventText, type EventDigits, type TradeEventRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { Foreign } from './text';
import type { StreamState } from './trade-log';

const states: Readonly<Record<StreamState, string>> = {
  connecting: 'connecting',
  connected: 'live',
  broken: 'not live: the stream is broken and is being connected again',
  ended: 'not live: the stream has ended',
};

function digitsOf(desk: Desk, { symbol }: TradeEventRecord): EventDigits {
  return { price: symbol ? desk.digits.of(symbol) : undefined, money: desk.moneyDigits };
}

/** The event log as it happens. */
export function EventsPanel({ desk }: { readonly desk: Desk }) {
  const { state, lines } = desk.log;
  const isLive = state.value === 'connected' || state.value === 'connecting';
  return (
    <section id="events" class={`panel ${isLive ? '' : 'stale'}`} aria-labelledby="events-title">
      <h2 id="events-title">
        Trade events <small id="stream-state">{states[state.value]}</small>
      </h2>
      {lines.value.length === 0 && <p>No events yet.</p>}
      <ol class="log" tabIndex={0} aria-label="trade events">
        {lines.value.map(({ id, at, event, note }) => (
          <li key={id}>
            {at !== null && <time dateTime={at}>{at.replace('T', ' ').replace('Z', '')}</time>}{' '}
            <Foreign text={event === null ? (note ?? '') : tradeEventText(event, digitsOf(desk, event))} />
          </li>
        ))}
      </ol>
    </section>
  );
}
