import type { Desk } from './desk';
import { RequestLink } from './request-link';
import { shownTab } from './tab';
import { timeText } from './strategy-view';
import { Foreign } from './text';
import { isRepeatable, repeat } from './trade-writes';
import { dismiss, isSettled, writes, type Write } from './writes';

/** Every request of this page that changes something: its key, its true outcome, and what to do. */
export function WritesPanel({ desk }: { readonly desk: Desk }) {
  return (
    <section
      id="writes"
      class={`${writes.value.length === 0 ? 'empty' : 'panel'} ${shownTab.value === 'Requests' ? '' : 'short'}`}
      aria-labelledby="writes-title"
    >
      <h2 id="writes-title">Requests of this page</h2>
      {writes.value.filter(isSettled).length > 1 && (
        <button type="button" class="dismiss-all" onClick={() => dismissed(() => true)}>
          Dismiss all with an outcome
        </button>
      )}
      <ol aria-live="polite">
        {writes.value.map((write) => (
          <WriteItem key={write.id} desk={desk} write={write} />
        ))}
      </ol>
    </section>
  );
}

function WriteItem({ desk, write }: { readonly desk: Desk; readonly write: Write }) {
  const { key, what, state, text, advice, sentAt, login } = write;
  return (
    <li data-state={state}>
      {isSettled(write) && (
        <button
          type="button"
          class="dismiss"
          aria-label={`Dismiss the request of ${timeText(sentAt).slice(11)}`}
          title="Dismiss"
          onClick={() => dismissed(({ id }) => id === write.id)}
        >
          <span aria-hidden="true">×</span>
        </button>
      )}
      <b class={`state ${state.replace(' ', '-')}`}>{state}</b> <Foreign text={what} />: <Foreign text={text} />
      <small>
        {key === null ? 'no key: sending it again does no harm' : <RequestLink desk={desk} name={key} />}, account{' '}
        {login ?? 'not known'}, sent {timeText(sentAt)} UTC
      </small>
      {advice !== null && <p class="advice">{advice}</p>}
      {isRepeatable(desk, write) && (
        <button type="button" onClick={() => void repeat(desk, write)}>
          Repeat under the same key
        </button>
      )}
    </li>
  );
}

/** The button that has the focus goes with its line: the focus then goes to the next one, or to the part of the page. */
function dismissed(isMeant: (write: Write) => boolean): void {
  dismiss(isMeant);
  requestAnimationFrame(() => {
    const next =
      document.querySelector<HTMLElement>('#writes .dismiss') ??
      document.querySelector<HTMLElement>('[role=tab][tabindex="0"]');
    next?.focus();
  });
}
