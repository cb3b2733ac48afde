import type { TargetedSubmitEvent } from 'preact';
import { openSession, type Session } from './session';

/** The field for the key. The browser is asked not to keep what is entered. */
export function Login({ reason, isOpening }: Extract<Session, { kind: 'closed' }>) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem('key');
    if (!(field instanceof HTMLInputElement) || field.value === '') return;
    void openSession(field.value);
    field.value = '';
  };
  return (
    <main class="login">
      <h1>Trading gateway</h1>
      <form class="panel" onSubmit={submit}>
        <label for="key">API key</label>
        <input id="key" name="key" type="password" autocomplete="off" spellcheck={false} required autofocus />
        <button type="submit" class="primary" disabled={isOpening}>
          Open
        </button>
      </form>
      {reason !== null && <p role="alert">{reason}</p>}
      <p class="note">
        The key is API_KEY of the gateway; <code>npm start</code> prints it. API_KEY_READONLY is enough to look. The
        page keeps it in memory only: reloading or closing the page forgets it.
      </p>
    </main>
  );
}
