import fc from 'fast-check';
import { nextState, sessionMoves, type SessionEvent, type SessionState } from './session-state';

const states = Object.keys(sessionMoves) as SessionState[];
const events: SessionEvent[] = ['attempt', 'verified', 'exhausted', 'logged-out', 'lost', 'stop'];

describe('the moves of a session', () => {
  it('lead to a state of the table, or are refused by name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.constantFrom(...events), (state, event) => {
        const next = sessionMoves[state][event];
        if (next) expect(states).toContain(nextState(state, event));
        else expect(() => nextState(state, event)).toThrow(`cannot take "${event}" while ${state}`);
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

  it('lose only a session that is there', () => {
    expect(states.filter((state) => sessionMoves[state].lost)).toEqual(['connected']);
  });
});
