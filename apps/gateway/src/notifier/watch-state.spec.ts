import fc from 'fast-check';
import { unwatched, watchStep, type WatchLimits, type WatchMemory, type WatchNotice } from './watch-state';

const limits: WatchLimits = { forMs: 10_000, maxPerHour: 4 };

/** Looks once a second, one look for each letter: `x` holds, `.` does not. */
function looks(states: string, from = unwatched(0), startMs = 0): { notices: WatchNotice[]; memory: WatchMemory } {
  let memory = from;
  const notices: WatchNotice[] = [];
  [...states].forEach((letter, second) => {
    const step = watchStep(memory, letter === 'x', startMs + second * 1_000, limits);
    memory = step.memory;
    if (step.notice) notices.push(step.notice);
  });
  return { notices, memory };
}
const times = (count: number, text: string): string => text.repeat(count);

describe('a watched state', () => {
  it('is reported once it has lasted, and once more when it has ended', () => {
    expect(looks(`.${times(11, 'x')}${times(300, 'x')}${times(20, '.')}`).notices).toEqual([
      { state: 'raised', sinceMs: 1_000, changes: 1 },
      { state: 'resolved', sinceMs: 312_000, changes: 1 },
    ]);
  });

  it('is not reported if it passes sooner; the next message counts its changes', () => {
    const { notices } = looks(`.xxx....${times(11, 'x')}`);
    expect(notices).toEqual([{ state: 'raised', sinceMs: 8_000, changes: 3 }]);
  });

  it('is reported at most so often in an hour; what happened meanwhile is reported afterwards', () => {
    const flap = `${times(15, 'x')}${times(15, '.')}`;
    const { notices, memory } = looks(times(20, flap));
    expect(notices.map(({ state }) => state)).toEqual(['raised', 'resolved', 'raised', 'resolved']);
    const later = looks(times(3_600, '.'), memory, 600_000);
    expect(later.notices).toEqual([{ state: 'resolved', sinceMs: 585_000, changes: 36 }]);
  });

  it('is reported after a restart only if it has changed', () => {
    const { memory } = looks(times(20, 'x'));
    expect(looks(times(20, 'x'), memory, 90_000).notices).toEqual([]);
    expect(looks(times(20, '.'), memory, 90_000).notices).toMatchObject([{ state: 'resolved' }]);
  });

  it('is reported in time when the wall clock is set back', () => {
    const { memory } = looks('x', unwatched(0), 5_000_000);
    expect(looks(times(12, 'x'), memory, 1_000).notices).toHaveLength(1);
  });

  it('ends as reported, whatever it did, and stays within its limit', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), fc.boolean(), (states, last) => {
        const flapping = states.map((holds) => (holds ? 'x' : '.')).join('');
        const first = looks(flapping);
        expect(first.notices.length).toBeLessThanOrEqual(limits.maxPerHour);
        const rest = looks(times(3_700, last ? 'x' : '.'), first.memory, states.length * 1_000);
        expect(rest.memory.reported).toBe(last);
      }),
      { numRuns: 50 },
    );
  });
});
