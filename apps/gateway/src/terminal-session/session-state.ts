/** State of the terminal session. */
export type SessionState =
  /** Logged out without credentials: checking for a manual login. Also after stop. */
  | 'disconnected'
  /** The first login since the start. */
  | 'connecting'
  | 'connected'
  /** A round of attempts is running in the background. */
  | 'reconnecting'
  /** A round failed: nothing is tried until the window ends. */
  | 'cooldown';

export type SessionEvent =
  /** A login or look-up starts. */
  | 'attempt'
  /** The terminal answers, is connected to its server, and the account is the right one. */
  | 'verified'
  /** All attempts of a round failed. */
  | 'exhausted'
  /** The terminal is reachable, no account is logged in, and there are no credentials. */
  | 'logged-out'
  /** A live session ended. */
  | 'lost'
  | 'stop';

type Moves = Readonly<Partial<Record<SessionEvent, SessionState>>>;

/** Every transition of the session. A missing pair is a bug, not a no-op. */
export const sessionMoves: Readonly<Record<SessionState, Moves>> = {
  disconnected: { attempt: 'connecting', verified: 'connected', 'logged-out': 'disconnected', stop: 'disconnected' },
  connecting: { verified: 'connected', exhausted: 'cooldown', stop: 'disconnected' },
  connected: { lost: 'reconnecting', stop: 'disconnected' },
  reconnecting: {
    verified: 'connected',
    exhausted: 'cooldown',
    'logged-out': 'disconnected',
    stop: 'disconnected',
  },
  cooldown: { attempt: 'reconnecting', stop: 'disconnected' },
};

/** The state after an event. @throws Error for a transition that is not in the table */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  const next = sessionMoves[state][event];
  if (next === undefined) throw new Error(`invalid event "${event}" for a terminal session in state ${state}`);
  return next;
}
