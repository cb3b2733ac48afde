import type { AccountInfo, LastError, Unsubscribe } from '@libs/terminal-client';

/** Who an account is: a login number means nothing without its server. */
export interface AccountIdentity {
  readonly login: number;
  readonly server: string;
}

export interface AccountChange {
  readonly expected: AccountIdentity;
  readonly actual: AccountIdentity;
}

/** What the session tells the rest of the gateway, by name. */
export interface SessionEvents {
  /** A verified session is there, the first or a restored one. */
  connected: AccountInfo;
  /** The verified session went away. */
  disconnected: LastError;
  /** For the audit log: this account is now traded. */
  login: AccountIdentity;
  /** For the audit log: this account is no longer traded, and why. */
  logout: AccountIdentity & { readonly reason: string };
  /** Another account appeared under a live session. */
  accountChanged: AccountChange;
}

/** Delivers each event to its listeners in the order they came. */
export class SessionListeners {
  private readonly listeners = new Map<keyof SessionEvents, Set<(value: never) => void>>();

  on<Name extends keyof SessionEvents>(name: Name, listener: (value: SessionEvents[Name]) => void): Unsubscribe {
    const named = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, named.add(listener));
    return () => void named.delete(listener);
  }

  /** A listener that throws must not keep the session from its work, nor the others from hearing. */
  emit<Name extends keyof SessionEvents>(
    name: Name,
    value: SessionEvents[Name],
    onError: (error: unknown) => void,
  ): void {
    for (const listener of this.listeners.get(name) ?? []) {
      try {
        (listener as (value: SessionEvents[Name]) => void)(value);
      } catch (error) {
        onError(error);
      }
    }
  }
}
