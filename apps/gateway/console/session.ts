import { GatewayReadError } from '@libs/gateway-client';
import { signal } from '@preact/signals';
import { Desk } from './desk';
import { dismissQuestion } from './dialog';

/** The key is in the client of the open desk and nowhere else: not in storage, the address or a cookie. */
export type Session =
  | { readonly kind: 'closed'; readonly reason: string | null; readonly isOpening: boolean }
  | { readonly kind: 'open'; readonly desk: Desk };

export const session = signal<Session>({ kind: 'closed', reason: null, isOpening: false });

/** Opens the desk with a key, or states why that failed. */
export async function openSession(apiKey: string): Promise<void> {
  session.value = { kind: 'closed', reason: null, isOpening: true };
  const desk = new Desk(apiKey, () =>
    closeSession('The gateway does not accept the key any more (401). Enter the valid one.'),
  );
  try {
    await desk.open();
    session.value = { kind: 'open', desk };
  } catch (error) {
    desk.close();
    session.value = { kind: 'closed', reason: reasonOf(error), isOpening: false };
  }
}

/** Forgets the key and every figure. */
export function closeSession(reason: string | null): void {
  if (session.peek().kind === 'closed') return;
  const { value } = session;
  if (value.kind === 'open') value.desk.close();
  dismissQuestion();
  session.value = { kind: 'closed', reason, isOpening: false };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof GatewayReadError)) return 'The gateway gave no usable answer.';
  if (error.status === 401) return 'The gateway does not accept this key (401).';
  return `The gateway gave no answer: ${error.message}.`;
}
