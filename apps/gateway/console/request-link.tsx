import type { Desk } from './desk';
import { shownTab } from './tab';

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
      <code>{name}</code>
    </button>
  );
}
