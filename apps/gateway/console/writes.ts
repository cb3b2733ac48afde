import type { TradeCall } from '@libs/gateway-client';
import { signal } from '@preact/signals';
import type { Verdict } from './outcome';

/** A request of this page that changes something. The list outlives the session, because an outcome may still be open. */
export interface Write extends Verdict {
  readonly id: number;
  /** Null for a halt and a release, which have none. */
  readonly key: string | null;
  /** What it asks for, in words. */
  readonly what: string;
  /** What it changes, such as `position 530218319`: one write at a time. */
  readonly target: string;
  /** UTC by the clock of this machine. */
  readonly sentAt: string;
  /** The account that it is meant for; null if none was known. */
  readonly login: number | null;
  /** What is sent again if it is repeated under its key; null for what has no such call. */
  readonly call: TradeCall | null;
}

/** Newest first. */
export const writes = signal<readonly Write[]>([]);

let count = 0;

/** Lists a write as in flight, sends it, and shows what was answered. Nothing is shown as done before that. */
export async function send(
  { what, target, key, login, call }: Pick<Write, 'what' | 'target' | 'key' | 'login' | 'call'>,
  perform: () => Promise<Verdict>,
): Promise<Verdict> {
  count += 1;
  const id = count;
  const inFlight = { state: 'in flight', text: 'no answer yet', advice: null } as const;
  const sentAt = new Date().toISOString();
  writes.value = [{ id, key, what, target, login, call, sentAt, ...inFlight }, ...writes.value];
  const verdict = await perform();
  settle(id, verdict);
  return verdict;
}

/** Replaces the verdict of a write. */
export function settle(id: number, verdict: Verdict): void {
  writes.value = writes.value.map((write) => (write.id === id ? { ...write, ...verdict } : write));
}

/** Removes writes whose outcome is known from the list. The gateway still lists them. */
export function dismiss(isMeant: (write: Write) => boolean): void {
  writes.value = writes.value.filter((write) => !isSettled(write) || !isMeant(write));
}

export function isSettled({ state }: Write): boolean {
  return state !== 'in flight' && state !== 'unknown';
}

/** The write that forbids another one of the same target: it is in flight, or its outcome is unknown. */
export function openWriteOf(target: string): Write | undefined {
  return writes.value.find((write) => write.target === target && !isSettled(write));
}
