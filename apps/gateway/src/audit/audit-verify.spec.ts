import { AuditCheck, type AuditFindings } from './audit-check';
import { auditLine, type AuditEvent } from './audit-event';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 0, 0, second)).toISOString();
const intent: AuditEvent = { event: 'intent', intent_id: 'a/0' };
const answer: AuditEvent = { event: 'broker_response', intent_id: 'a/0', retcode: 10009 };
const lines = (...events: AuditEvent[]): string[] =>
  events.map((event, index) => auditLine(at(index), index + 1, event, 0));

describe('verifying an audit log', () => {
  function verify(content: readonly string[], isInFlight?: (intent: string) => boolean): AuditFindings {
    const check = new AuditCheck();
    for (const line of content) check.add(line);
    return check.findings(isInFlight);
  }

  it.each<[string, string[]]>([
    ['an intent and its answer', lines(intent, answer)],
    ['an intent that stays unknown', lines(intent, { event: 'unknown_outcome', intent_id: 'a/0' })],
    ['an intent that was finally refused', lines(intent, { event: 'refused', intent_id: 'a/0' })],
    ['other events between', lines({ event: 'login' }, intent, { event: 'kill_engaged' }, answer, { event: 'logout' })],
  ])('passes %s', (_case, content) => {
    expect(verify(content)).toMatchObject({ problems: [], problem_count: 0 });
  });

  it.each<[string, AuditEvent[], number]>([
    ['an unknown outcome', [], 1],
    ['one that was recovered', [{ event: 'recovered', intent_id: 'a/0' }], 0],
    ['one that an operator accepted', [{ event: 'outcome_accepted', intent_id: 'a/0' }], 0],
  ])('counts %s', (_case, events, unresolved) => {
    const findings = verify(lines(intent, { event: 'unknown_outcome', intent_id: 'a/0' }, ...events));
    expect(findings).toMatchObject({ unknown: 1, unresolved });
  });

  it('accepts and counts a line that a crash cut short, ended later or last in the file', () => {
    const [first = '', second = ''] = lines(intent, answer);
    expect(verify([first, second.slice(0, 40), second])).toMatchObject({ problem_count: 0, torn: 1 });
    expect(verify([first, second, '{"timest'])).toMatchObject({ problem_count: 0, torn: 1 });
  });

  it('accepts lines that a full disk cut short repeatedly, and a rotated log', () => {
    const [first = '', second = ''] = lines(intent, answer);
    const torn = verify([first, second.slice(0, 40), second.slice(0, 7), second]);
    expect(torn).toMatchObject({ problem_count: 0, torn: 2 });
    const rotated = verify([auditLine(at(1), 41, intent, 0), auditLine(at(2), 42, answer, 0)]);
    expect(rotated).toMatchObject({ problem_count: 0, first_sequence: 41, last_sequence: 42 });
  });

  it.each<[string, string[], string]>([
    ['an intent without an outcome', lines(intent), 'intent a/0 has no outcome'],
    ['a missing line', [...lines(intent, answer).slice(0, 1), auditLine(at(5), 3, answer, 0)], 'sequence 3 follows 1'],
    ['a line that is not JSON', [...lines(intent), 'oops', auditLine(at(5), 3, answer, 0)], 'line 2: is not JSON'],
    ['a time that goes back', [auditLine(at(5), 1, intent, 0), auditLine(at(4), 2, answer, 0)], 'is before'],
    ['a repeated intent', lines(intent, intent, answer), 'is there twice'],
  ])('fails on %s', (_case, content, problem) => {
    expect(verify(content).problems).toContainEqual(expect.stringContaining(problem));
  });

  it.each([
    ['is there twice', [1, 2, 2], 'line 3: record 2 of the journal follows record 2'],
    ['has no line', [1, 3], 'line 2: record 3 of the journal follows record 1'],
  ])('names a record of the journal that %s', (_what, numbers, problem) => {
    const log = new AuditCheck();
    for (const [index, number] of numbers.entries()) {
      log.add(auditLine(new Date(index).toISOString(), index + 1, { event: 'login' }, 0, `journal/${number}`));
    }
    expect(log.findings().problems).toEqual([problem]);
  });

  it('counts an intent of a running request as in flight', () => {
    expect(verify(lines(intent), (id) => id === 'a/0')).toMatchObject({ in_flight: 1, problems: [] });
  });

  it('lists the first hundred problems and counts them all', () => {
    const gaps = Array.from({ length: 151 }, (_, index) => auditLine(at(1), index * 2, { event: 'login' }, 0));
    const { problems, problem_count: count } = verify(gaps);
    expect([problems.length, count]).toEqual([100, 150]);
  });
});
