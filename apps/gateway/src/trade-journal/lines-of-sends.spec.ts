import { auditLine } from '../audit/audit-event';
import { linesOfSends } from './lines-of-sends';

describe('the lines that a start needs when the journal may be lost', () => {
  const mark = { journal_id: 'j', journal_sequence: 7 };
  const line = (sequence: number, fields: object): string =>
    auditLine('2026-01-07T10:00:00.000Z', sequence, { event: 'refused', ...fields } as never, 0);

  it('are sends and outcomes, voids, fences and the newest mark', () => {
    const wanted = [
      line(9, mark),
      line(7, { event: 'intent', intent_id: 'i' }),
      line(6, { event: 'broker_response', intent_id: 'i' }),
      line(5, { event: 'voided' }),
      line(4, { event: 'fence_raised' }),
      line(3, { intent_id: 'i' }),
    ];
    const others = [
      line(8, mark),
      line(2, {}),
      line(1, { comment: '"intent_id":"i"' }),
      '',
      '{"torn":"journal_id":"j"',
    ];
    const newestFirst = [...wanted, ...others].sort((one, other) => numberOf(other) - numberOf(one));
    const kept = newestFirst.filter(linesOfSends());
    expect(kept.sort()).toEqual(wanted.sort());
  });

  it('has a mark also if the newest line that has one is cut off', () => {
    const isWanted = linesOfSends();
    expect([line(2, mark).slice(0, -3), line(1, mark)].map(isWanted).at(-1)).toBe(true);
  });
});

function numberOf(text: string): number {
  return Number(/"sequence":(\d+)/.exec(text)?.[1] ?? 0);
}
