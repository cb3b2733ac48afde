import { Foreign } from './text';
import { writes, type Write } from './writes';

/** Every request of this page that changes something: its key, its true outcome, and what to do. */
export function WritesPanel() {
  return (
    <section id="writes" class="panel" aria-labelledby="writes-title">
      <h2 id="writes-title">Requests of this page</h2>
      {writes.value.length === 0 && <p>None yet.</p>}
      <ol aria-live="polite">
        {writes.value.map((write) => (
          <WriteItem key={write.id} write={write} />
        ))}
      </ol>
    </section>
  );
}

function WriteItem({ write }: { readonly write: Write }) {
  const { key, what, state, text, advice, sentAt } = write;
  return (
    <li data-state={state}>
      <b class={`state ${state.replace(' ', '-')}`}>{state}</b> {what}: <Foreign text={text} />
      <br />
      <small>
        {key === null ? 'no key: sending it again does no harm' : <code class="key">{key}</code>}, sent {sentAt}
      </small>
      {advice !== null && <p class="advice">{advice}</p>}
    </li>
  );
}
