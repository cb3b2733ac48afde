import type { Desk } from './desk';
import { shownTab } from './tab';

/** The keys of one client differ at their ends, which stay where there is no room for all of it. */
const tailLength = 6;

/** An idempotency key. A press shows the history of its request. */
export function RequestLink({ desk, name }: { readonly desk: Desk; readonly name: string | null | undefined }) {
  if (name == null) return <span>none</span>;
  const show = (): void => {
    shownTab.value = 'Requests';
    desk.showRequest(name);
    document.getElementById('request')?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <button type="button" class="link" aria-label={`history of ${name}`} title={name} onClick={show}>
      <code>
        <span class="start">{name.slice(0, -tailLength)}</span>
        <span class="tail">{name.slice(-tailLength)}</span>
      </code>
    </button>
  );
}
