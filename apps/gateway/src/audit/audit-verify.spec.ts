import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { auditLine, type AuditEvent } from './audit-event';

const script = resolve(__dirname, '../../../../scripts/audit-verify.mjs');
const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 0, 0, second)).toISOString();
const intent: AuditEvent = { event: 'intent', intent_id: 'a/0' };
const answer: AuditEvent = { event: 'broker_response', intent_id: 'a/0', retcode: 10009 };
const lines = (...events: AuditEvent[]): string[] =>
  events.map((event, index) => auditLine(at(index), index + 1, event, 0));

describe('verifying an audit log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-verify-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function verify(content: readonly string[], end = '\n'): { status: number | null; text: string } {
    const file = join(folder, 'audit.jsonl');
    writeFileSync(file, content.join('\n') + end);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  }

  it.each<[string, string[]]>([
    ['an intent and its answer', lines(intent, answer)],
    ['an intent that stays unknown', lines(intent, { event: 'unknown_outcome', intent_id: 'a/0' })],
    ['an intent that was finally refused', lines(intent, { event: 'refused', intent_id: 'a/0' })],
    ['other events between', lines({ event: 'login' }, intent, { event: 'kill_engaged' }, answer, { event: 'logout' })],
  ])('passes %s', (_case, content) => {
    expect(verify(content)).toMatchObject({ status: 0, text: expect.stringContaining('holds together') });
  });

  it.each<[string, AuditEvent[], number]>([
    ['an unknown outcome', [], 1],
    ['one that was recovered', [{ event: 'recovered', intent_id: 'a/0' }], 0],
    ['one that an operator accepted', [{ event: 'outcome_accepted', intent_id: 'a/0' }], 0],
  ])('counts %s', (_case, events, unresolved) => {
    const { text } = verify(lines(intent, { event: 'unknown_outcome', intent_id: 'a/0' }, ...events));
    expect(text).toContain(`unknown 1, unresolved ${unresolved}`);
  });

  it('accepts and counts a line that a crash cut short, ended later or last in the file', () => {
    const [first = '', second = ''] = lines(intent, answer);
    expect(verify([first, second.slice(0, 40), second])).toMatchObject({
      status: 0,
      text: expect.stringContaining('torn 1'),
    });
    expect(verify([first, second, '{"timest'], '')).toMatchObject({
      status: 0,
      text: expect.stringContaining('torn 1'),
    });
  });

  it('accepts lines that a full disk cut short repeatedly, and a rotated log', () => {
    const [first = '', second = ''] = lines(intent, answer);
    expect(verify([first, second.slice(0, 40), second.slice(0, 7), second])).toMatchObject({
      status: 0,
      text: expect.stringContaining('torn 2'),
    });
    expect(verify([auditLine(at(1), 41, intent, 0), auditLine(at(2), 42, answer, 0)])).toMatchObject({ status: 0 });
  });

  it.each<[string, string[], string]>([
    ['an intent without an outcome', lines(intent), 'intent a/0 has no outcome'],
    ['a missing line', [...lines(intent, answer).slice(0, 1), auditLine(at(5), 3, answer, 0)], 'sequence 3 follows 1'],
    ['a line that is no JSON', [...lines(intent), 'oops', auditLine(at(5), 3, answer, 0)], 'line 2: is no JSON'],
    ['a time that goes back', [auditLine(at(5), 1, intent, 0), auditLine(at(4), 2, answer, 0)], 'is before'],
    ['a repeated intent', lines(intent, intent, answer), 'is there twice'],
  ])('fails on %s', (_case, content, problem) => {
    expect(verify(content)).toMatchObject({ status: 1, text: expect.stringContaining(problem) });
  });

  it('names the file that it cannot read', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, join(folder, 'none')], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('ENOENT');
  });
});
