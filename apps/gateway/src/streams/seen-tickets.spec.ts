import { SeenTickets } from './seen-tickets';

const hour = 3_600;
const nowS = 100 * hour;

/** What was seen of a list whose latest rows are of now. */
function seenUntilNow(): SeenTickets {
  const seen = new SeenTickets();
  seen.add(1, nowS - 50 * hour);
  seen.add(3, nowS);
  return seen;
}

describe('the rows of a history that were seen', () => {
  it('are known by ticket for three hours, and then as those that are older', () => {
    const seen = seenUntilNow();
    expect([seen.isRecent(1), seen.isRecent(3)]).toEqual([false, true]);
    expect([seen.has(1, nowS - 50 * hour), seen.has(3, nowS), seen.has(2, nowS), seen.has(4, nowS)]).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });

  it('are told apart while the clock is set back, in whatever order they come', () => {
    const seen = seenUntilNow();
    const back = nowS - 5 * hour;
    seen.add(6, back);
    expect([4, 5, 6, 7].map((ticket) => seen.has(ticket, back + 1))).toEqual([false, false, true, false]);
    expect(seen.has(1, nowS - 50 * hour)).toBe(true);
  });

  it('are told apart after a restart, and as before with what an earlier version stored', () => {
    const seen = seenUntilNow();
    seen.add(6, nowS - 5 * hour);
    const { bounds, recent } = seen.changes;
    const rows = [...recent].flatMap(([ticket, time]): [number, number][] => (time === null ? [] : [[ticket, time]]));
    const again = new SeenTickets(bounds, rows);
    expect([5, 6].map((ticket) => again.has(ticket, nowS - 5 * hour))).toEqual([false, true]);
    const earlier = new SeenTickets({ latest: bounds.latest, highest: bounds.highest }, rows);
    expect([5, 6, 7].map((ticket) => earlier.has(ticket, nowS - 5 * hour))).toEqual([true, true, false]);
  });
});
