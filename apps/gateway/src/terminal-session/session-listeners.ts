import type { AccountInfo, LastError, Unsubscribe } from '@libs/terminal-client';

/** Identity of an account: a login number is unique only per server. */
export interface AccountIdentity {
  readonly login: number;
  readonly server: string;
}

export interface AccountChange {
  readonly expected: AccountIdentity;
  readonly actual: AccountIdentity;
}

/** Events of the session, by name. */
export interface SessionEvents {
  /** A session was verified, for the first time or after a loss. */
  connected: AccountInfo;
  /** The verified session ended. */
  disconnected: LastError;
  /** For the audit log: this account is now traded. */
  login: AccountIdentity;
  /** For the audit log: this account is no longer traded, and why. */
  logout: AccountIdentity & { readonly reason: string };
  /** Another account appeared under a live session. */
  accountChanged: AccountChange;
}

/** Delivers each event to its listeners in order of registration. */
export class SessionListeners {
  private readonly listeners = new Map<keyof SessionEvents, Set<(value: never) => void>>();

  on<Name extends keyof SessionEvents>(name: Name, listener: (value: SessionEvents[Name]) => void): Unsubscribe {
    const named = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, named.add(listener));
    return () => void named.delete(listener);
  }

  /** A listener that throws must not affect the session or the other listeners. */
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
