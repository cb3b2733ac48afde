import { SeenTickets } from './seen-tickets';

const hour = 3_600;
const nowS = 100 * hour;
/** More rows than are known by ticket. */
const old = 1_100;

/** What was seen of a list with many rows of long before, and some of now: each second ticket after the old ones. */
function seenUntilNow(): SeenTickets {
  const seen = new SeenTickets();
  for (let ticket = 1; ticket <= old; ticket++) seen.add(ticket, nowS - 50 * hour);
  for (const after of [1, 3, 5]) seen.add(old + after, nowS);
  return seen;
}

/** Each of some rows after the old ones: whether it was seen. */
const has = (seen: SeenTickets, time: number, ...after: number[]): boolean[] =>
  after.map((ticket) => seen.has(old + ticket, time));

describe('the rows of a history that were seen', () => {
  it('are known by ticket for three hours, the latest ones for longer, and then as those that are older', () => {
    const seen = seenUntilNow();
    expect([1, old, old + 1].map((ticket) => seen.isRecent(ticket))).toEqual([false, true, true]);
    expect([seen.has(1, nowS - 50 * hour), ...has(seen, nowS, 1, 2, 3, 4, 6)]).toEqual([
      ...[true],
      ...[true, false, true, false, false],
    ]);
  });

  it('are told apart while the clock is set back, in whatever order they come', () => {
    const seen = seenUntilNow();
    const back = nowS - 5 * hour;
    seen.add(old + 8, back);
    expect(has(seen, back + 1, 6, 7, 8, 9)).toEqual([false, false, true, false]);
    expect(seen.has(1, nowS - 50 * hour)).toBe(true);
  });

  it.each([1, 2])('are told apart although the times of %d of the latest are in the future', (count) => {
    const seen = seenUntilNow();
    for (let after = 6; after < 6 + count; after++) seen.add(old + after, nowS + 1_000 * hour);
    expect([seen.latest, seen.lookBackTo < nowS]).toEqual([nowS, true]);
    expect(has(seen, nowS + 1, 5, 6, 8)).toEqual([true, true, false]);
    expect(seen.missingIn(new Set([old + 1, old + 3]), nowS - hour, nowS + hour)).toEqual([old + 5]);
  });

  it('are looked for since the earliest that is known by ticket after many had times in the future', () => {
    const seen = seenUntilNow();
    for (let after = 6; after < 12; after++) seen.add(old + after, nowS + 1_000 * hour);
    expect([seen.lookBackTo > nowS, seen.earliest < nowS]).toEqual([true, true]);
    expect(has(seen, nowS, 5, 12)).toEqual([true, false]);
    seen.shown(old + 6, nowS);
    expect(seen.missingIn(new Set(), nowS + hour, Number.POSITIVE_INFINITY)).not.toContain(old + 6);
  });

  it('are seen although their time is shown some seconds later once they are as old as the window', () => {
    const seen = new SeenTickets();
    seen.add(1, nowS);
    for (let ticket = 2; ticket <= old; ticket++) seen.add(ticket, nowS + 60);
    // As late as makes the first one older than the window by three seconds.
    const window = nowS - seen.lookBackTo + 60;
    for (let ticket = old + 1; ticket <= 2 * old; ticket++) seen.add(ticket, nowS + window + 3);
    expect(seen.lookBackTo).toBe(nowS + 3);
    expect(seen.has(1, nowS + 3)).toBe(true);
    expect(seen.missingIn(new Set([1]), nowS, nowS + 10)).toEqual([]);
  });

  it('are told apart after a restart, and as before with what an earlier version stored', () => {
    const seen = seenUntilNow();
    seen.add(old + 6, nowS - 5 * hour);
    const { bounds, recent } = seen.changes;
    const rows = [...recent].flatMap(([ticket, time]): [number, number][] => (time === null ? [] : [[ticket, time]]));
    const again = new SeenTickets(bounds, rows);
    expect(has(again, nowS - 5 * hour, 4, 6)).toEqual([false, true]);
    const earlier = new SeenTickets({ latest: bounds.latest, highest: bounds.highest }, rows);
    expect(has(earlier, nowS - 5 * hour, 4, 6, 7)).toEqual([true, true, false]);
  });
});
