/** Where the session with the terminal stands (design: terminal session). */
export type SessionState =
  /** Logged out with nothing to log in with: looking for a session somebody opens by hand. Also after stop. */
  | 'disconnected'
  /** The first login since the start. */
  | 'connecting'
  | 'connected'
  /** A round of attempts is running in the background. */
  | 'reconnecting'
  /** A round failed: nothing is tried until the window ends. */
  | 'cooldown';

export type SessionEvent =
  /** A login or look-up begins. */
  | 'attempt'
  /** The terminal answers, is connected to its server, and the account is the right one. */
  | 'verified'
  /** All attempts of a round failed. */
  | 'exhausted'
  /** The terminal is there, nobody is logged in, and there are no credentials to do it with. */
  | 'logged-out'
  /** A live session went away. */
  | 'lost'
  | 'stop';

type Moves = Readonly<Partial<Record<SessionEvent, SessionState>>>;

/** Every move the session can make. A pair that is not here is a bug, not a no-op. */
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

/** The state after an event. @throws Error for a move that is not in the table */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  const next = sessionMoves[state][event];
  if (next === undefined) throw new Error(`the terminal session cannot take "${event}" while ${state}`);
  return next;
}
