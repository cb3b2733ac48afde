import { signal } from '@preact/signals';
import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A question before a write. Nothing is sent until it is confirmed. */
export interface Question {
  readonly title: string;
  readonly content: ComponentChildren;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** The side of an order, whose colour its button has. */
  readonly side?: 'buy' | 'sell';
  /** Called with the fields of the form. Returns a problem to show, or null when the write was sent. */
  readonly onConfirm: (fields: FormData) => string | null;
}

const question = signal<Question | null>(null);
const problem = signal<string | null>(null);

function buttonClass({ isDangerous, side }: Question): string {
  if (isDangerous === true) return 'danger';
  return side === undefined ? 'primary' : `side-button ${side}`;
}

export function ask(next: Question): void {
  problem.value = null;
  question.value = next;
}

/** Takes back a question that is open, because what it asks about is gone. */
export function dismissQuestion(): void {
  question.value = null;
}

/** The one dialog of the page. Escape and Cancel close it; the focus returns to where it was. */
export function Dialog() {
  const element = useRef<HTMLDialogElement>(null);
  const shown = question.value;
  useEffect(() => {
    const { current } = element;
    if (shown !== null && current?.open === false) current.showModal();
    if (shown === null && current?.open === true) current.close();
  }, [shown]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // A second click can come before the dialog is drawn as closed: it must not send a second request.
    if (shown === null || question.peek() !== shown) return;
    problem.value = shown.onConfirm(new FormData(event.currentTarget));
    if (problem.value === null) dismissQuestion();
  };
  return (
    <dialog ref={element} aria-labelledby="question" onClose={dismissQuestion}>
      {shown !== null && (
        <form onSubmit={submit}>
          <h2 id="question">{shown.title}</h2>
          {shown.content}
          {problem.value !== null && <p role="alert">{problem.value}</p>}
          <div class="buttons">
            <button type="button" onClick={dismissQuestion} autofocus>
              Cancel
            </button>
            <button type="submit" class={buttonClass(shown)}>
              {shown.confirm}
            </button>
          </div>
        </form>
      )}
    </dialog>
  );
}
