import fc from 'fast-check';
import { nextState, sessionMoves, type SessionEvent, type SessionState } from './session-state';

const states = Object.keys(sessionMoves) as SessionState[];
const events: SessionEvent[] = ['attempt', 'verified', 'exhausted', 'logged-out', 'lost', 'stop'];

function outcome(state: SessionState, event: SessionEvent): string {
  try {
    return nextState(state, event);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the transitions of a session', () => {
  it('lead to a state of the table, or fail with the name of the event', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.constantFrom(...events), (state, event) => {
        const reached = outcome(state, event);
        expect([...states, `invalid event "${event}" for a terminal session in state ${state}`]).toContain(reached);
        expect(reached === sessionMoves[state][event] || sessionMoves[state][event] === undefined).toBe(true);
      }),
    );
  });

  it('can end in every state by a stop, and reach "connected" from every one', () => {
    for (const state of states) {
      expect(nextState(state, 'stop')).toBe('disconnected');
      const reached = new Set<SessionState>([state]);
      for (const each of reached) for (const next of Object.values(sessionMoves[each])) reached.add(next);
      expect(reached).toContain('connected');
    }
  });

  it('can lose only a connected session', () => {
    expect(states.filter((state) => sessionMoves[state].lost)).toEqual(['connected']);
  });
});
