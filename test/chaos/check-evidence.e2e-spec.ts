import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';

type Line = Record<string, unknown>;

/** A position that was opened and closed, and an order that was placed: all in order. */
function soundEvidence(): { answers: Line[]; broker: Record<'deals' | 'orders' | 'positions', Line[]>; audit: Line[] } {
  const answer = (key: string, kind: string, order: number, more: Line = {}): Line => ({
    ...{ key, kind, method: 'POST', path: '/order', status: 200, replayed: false, body: { result: { order } } },
    ...more,
  });
  const deal = (ticket: number, order: number, entry: number): Line => ({
    ...{ ticket, order, entry, type: entry, position_id: 11, volume: 0.1 },
  });
  const line = (sequence: number, event: string, key: string, intent: string, ticket: number | null): Line => ({
    ...{ timestamp: `2026-01-05T10:00:0${sequence}.000Z`, sequence, event, client_order_id: key, intent_id: intent },
    ...{ ticket, error_type: null },
  });
  return {
    answers: [
      answer('a', 'open', 11, { status: null, body: null }),
      answer('a', 'open', 11),
      answer('a', 'open', 11, { replayed: true }),
      answer('b', 'close', 12),
      answer('c', 'pending', 13),
      answer('d', 'open', 14, { status: 422, body: {} }),
    ],
    broker: { deals: [deal(1, 11, 0), deal(2, 12, 1)], orders: [{ ticket: 13, type: 2 }], positions: [] },
    audit: [
      line(1, 'intent', 'a', 'i1', null),
      line(2, 'broker_response', 'a', 'i1', 11),
      line(3, 'intent', 'b', 'i2', null),
      line(4, 'recovered', 'b', 'i2', 12),
      line(5, 'intent', 'c', 'i3', null),
      line(6, 'broker_response', 'c', 'i3', 13),
    ],
  };
}

describeWith('python3')('the checker of a crash test (needs python3)', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  function check({ answers, broker, audit }: ReturnType<typeof soundEvidence>) {
    const folder = scratch.folder();
    const lines = (rows: readonly Line[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const files = {
      'answers.jsonl': lines(answers),
      'broker.json': JSON.stringify(broker),
      'audit.jsonl': lines(audit),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const paths = Object.keys(files).map((name) => join(folder, name));
    return spawnSync('python3', [join(__dirname, 'check_evidence.py'), ...paths], { encoding: 'utf8' });
  }

  it('finds nothing wrong with a sound run', () => {
    expect(check(soundEvidence())).toMatchObject({ status: 0, stderr: '' });
  });

  const change = (rows: Line[], index: number, more: Line): void => void Object.assign(rows[index] ?? {}, more);
  it.each<[string, (evidence: ReturnType<typeof soundEvidence>) => unknown, RegExp]>([
    ['an order that the broker does not have', ({ broker }) => broker.orders.pop(), /lost, the broker has no pending/],
    [
      'an order that no client was answered with',
      ({ answers }) => answers.splice(3, 1),
      /deal of order 12 was never acknowledged/,
    ],
    [
      'an order that was sent twice',
      ({ broker }) => broker.deals.push({ ...broker.deals[0], ticket: 3 }),
      /order 11: 2 entries/,
    ],
    [
      'two keys with one order',
      ({ answers }) => change(answers, 3, { body: { result: { order: 11 } } }),
      /order 11 was acknowledged under \['a', 'b'\]/,
    ],
    [
      'a key with two outcomes',
      ({ answers }) => change(answers, 2, { body: { result: { order: 19 } } }),
      /a: different outcomes/,
    ],
    ['an internal error', ({ answers }) => change(answers, 5, { status: 500 }), /d: status 500/],
    ['an order without its ticket', ({ answers }) => change(answers, 4, { body: {} }), /c: done without an order/],
    [
      'a position that its deals do not explain',
      ({ broker }) => broker.positions.push({ ticket: 11, volume: 0.1 }),
      /position 11: deals leave 0.0, the broker lists 0.1/,
    ],
    ['a gap in the audit log', ({ audit }) => audit.splice(3, 1), /sequence 5 follows 3/],
    ['an intent without an outcome', ({ audit }) => audit.pop(), /intent i3 has no outcome/],
    [
      'a log whose time goes back',
      ({ audit }) => change(audit, 5, { timestamp: '2026-01-05T09:00:00.000Z' }),
      /its time is before/,
    ],
    ['an intent of no client', ({ audit }) => change(audit, 4, { client_order_id: 'x' }), /no client sent x/],
    [
      'an order that the log does not have',
      ({ audit }) => change(audit, 3, { event: 'refused' }),
      /order 12 is at the broker, and the audit log does not have it/,
    ],
    [
      'a key with two orders in the log',
      ({ audit, broker, answers }) => {
        change(audit, 3, { client_order_id: 'a' });
        return [broker, answers];
      },
      /a: the audit log has the orders \[11, 12\] of it/,
    ],
  ])('finds %s', (_what, spoil, problem) => {
    const evidence = soundEvidence();
    spoil(evidence);
    const { status, stderr } = check(evidence);
    expect(status).toBe(1);
    expect(stderr).toMatch(problem);
  });
});
