import { send } from '../testing/sample';
import { tagOfKey } from '../../../apps/gateway/src/trade-journal/key-marks';
import { VirtualTime } from '../virtual-time';
import { GatewaySiteJudge } from './site-judge';
import { WholeJudge } from './whole-judge';

/** Sends an order of the key k1 twice. @param between what happens in between */
function sentTwice(position: number, between: (judge: GatewaySiteJudge) => void): string | undefined {
  const time = new VirtualTime(Date.UTC(2026, 0, 7, 10));
  const whole = new WholeJudge(time, 1_000);
  const judge = new GatewaySiteJudge(0, 100_001, time, whole);
  const body = { symbol: 'EURUSD', magic: 7, volume: 0.1 };
  whole.asks.note(0, { method: 'POST', url: '/order', body, headers: { 'idempotency-key': 'k1' } }, 0, 1);
  const order = { magic: 7, comment: tagOfKey('k1'), position };
  judge.sending(send({ request: order, fate: 'done' }));
  between(judge);
  judge.sending(send({ number: 2, request: order }));
  return whole.violation?.invariant;
}

describe('a gateway whose journal was lost', () => {
  const lose = (judge: GatewaySiteJudge, auditLog: string): void => {
    judge.journalLost([auditLog]);
    judge.journalAccepted();
  };
  const line = JSON.stringify({ event: 'intent', intent_id: send().intentId });

  it('may send again what is on no audit log', () => {
    expect(sentTwice(5, (judge) => lose(judge, ''))).toBeUndefined();
  });

  it('fails for what is on the audit log, and without a loss', () => {
    expect(sentTwice(0, (judge) => lose(judge, line))).toBe('no key has two orders');
    expect(sentTwice(5, (judge) => lose(judge, line))).toBe('no key has two orders');
    expect(sentTwice(0, () => undefined)).toBe('no key has two orders');
    expect(sentTwice(5, () => undefined)).toBe('no key has two orders');
  });

  it('fails for an entry while an operator flattens', () => {
    expect(sentTwice(0, (judge) => (judge.isFlattening = true))).toBe('no key has two orders');
    expect(sentTwice(5, (judge) => (judge.isFlattening = true))).toBeUndefined();
  });
});
