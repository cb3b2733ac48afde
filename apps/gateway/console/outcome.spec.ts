import type { TradeOutcome, TradeRequestReport } from '@libs/gateway-client';
import { controlVerdictOf, setAsideVerdictOf, settledVerdictOf, verdictOf } from './outcome';

const refusal = { retryable: false, status: 422, details: null, terminalError: null };
const reworded = (outcome: TradeOutcome<object>) => verdictOf(outcome, () => 'closed');

describe('the verdict on a write', () => {
  it('is done only for an answer that says so', () => {
    expect(reworded({ kind: 'done', status: 200, body: {}, replayed: false })).toEqual({
      ...{ state: 'done', text: 'closed', advice: null },
    });
  });

  it("is rejected by the broker, with the broker's code", () => {
    const terminalError = { retcode: 10_018, retcode_name: 'MARKET_CLOSED', comment: null };
    const outcome = {
      ...refusal,
      kind: 'rejected',
      errorType: 'broker_rejected',
      error: 'market closed',
      terminalError,
    } as const;
    expect(reworded(outcome)).toEqual({
      ...{ state: 'rejected', text: 'market closed (10018 MARKET_CLOSED)', advice: 'Nothing was done.' },
    });
  });

  it('is refused by the gateway for anything else that is proven not done', () => {
    const outcome = {
      ...refusal,
      kind: 'rejected',
      errorType: 'validation_error',
      error: 'sl must be above 0',
    } as const;
    expect(reworded(outcome)).toMatchObject({ state: 'refused', text: 'sl must be above 0' });
    const halted = {
      ...refusal,
      kind: 'blocked',
      errorType: 'kill_switch_active',
      error: 'trading is halted',
    } as const;
    expect(reworded(halted)).toMatchObject({ state: 'refused', text: 'trading is halted' });
  });

  it('is unknown without a definite answer, and warns of a second request', () => {
    const silent = { kind: 'unknown', reason: 'no answer', status: null, errorType: null, retryAfterMs: null } as const;
    const verdict = reworded(silent);
    expect(verdict).toMatchObject({ state: 'unknown', text: 'no answer' });
    expect(verdict.advice).toContain('Do not send another request');
    expect(controlVerdictOf(silent).advice).toContain('sending it again does no harm');
  });

  it('states that a halt is missing in the audit log', () => {
    const body = { message: 'trading is halted', audited: false };
    expect(controlVerdictOf({ kind: 'done', status: 200, body, replayed: false }).text).toBe(
      'trading is halted; the audit log does not record it',
    );
  });
});

describe('the verdict on a change of a notification', () => {
  const done = (body: object) => ({ kind: 'done', status: 200, body, replayed: false }) as const;

  it('is done if the notification was still set aside', () => {
    const body = { message: '1 notification of ops dropped', ids: ['trade-1'], not_set_aside: [] };
    expect(setAsideVerdictOf('trade-1', done(body))).toEqual({
      ...{ state: 'done', text: '1 notification of ops dropped', advice: null },
    });
  });

  it('is refused if the notification is not set aside any more', () => {
    expect(setAsideVerdictOf('trade-1', done({ ids: [], not_set_aside: ['trade-1'] }))).toEqual({
      ...{ state: 'refused', text: 'it is not set aside any more', advice: 'Nothing was done.' },
    });
  });

  it('is unknown without an answer, and may be sent again', () => {
    const silent = { kind: 'unknown', reason: 'no answer', status: null, errorType: null, retryAfterMs: null } as const;
    const verdict = setAsideVerdictOf('trade-1', silent);
    expect(verdict).toMatchObject({ state: 'unknown', text: 'no answer' });
    expect(verdict.advice).toContain('sending it again does no harm');
  });
});

describe('what the journal says about a write of unknown outcome', () => {
  const report = (status: TradeRequestReport['status'], code: number | null = null): TradeRequestReport => ({
    ...{ key: 'k', route: 'POST /order', created_at: null, response: null, trace_id: null },
    ...{ status, response_status: code },
  });

  it.each([
    [report('completed', 200), 'done'],
    [report('completed', 422), 'rejected'],
    [report('recovered', 200), 'done'],
    [report('absent', 422), 'rejected'],
    [report('void'), 'refused'],
  ])('%#: is settled', (given, state) => {
    expect(settledVerdictOf(given)?.state).toBe(state);
  });

  it.each([report('in_progress'), report('unknown', 502), report('accepted', 502), null])(
    '%#: stays unknown',
    (given) => {
      expect(settledVerdictOf(given)).toBeNull();
    },
  );
});
