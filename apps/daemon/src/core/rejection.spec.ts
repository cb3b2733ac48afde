import { denial, reasonOf, rejection } from './exit-retry';

const refusal = {
  ...{ status: 422, errorType: 'broker_rejected', error: 'no money', details: null },
  terminalError: { retcode: 10_019, retcode_name: 'NO_MONEY', comment: null },
} as const;

describe('what a strategy receives for an intent without effect', () => {
  it('names whether it was denied, rejected or blocked, the reason, and the return code of the broker', () => {
    expect(denial('i1', 'no stream x')).toEqual({
      ...{ intentId: 'i1', kind: 'denied', reason: 'no stream x', retcode: null },
    });
    expect(rejection('i1', { kind: 'rejected', retryable: false, ...refusal })).toEqual({
      ...{ intentId: 'i1', kind: 'rejected', reason: 'broker_rejected: no money', retcode: 10_019 },
    });
    expect(rejection('i1', { kind: 'blocked', ...refusal, terminalError: null })).toMatchObject({
      ...{ kind: 'blocked', retcode: null },
    });
    expect(rejection('i1', { kind: 'absent', reason: 'not sent' })).toEqual({
      ...{ intentId: 'i1', kind: 'rejected', reason: 'not sent', retcode: null },
    });
    expect(reasonOf({ kind: 'absent', reason: 'not sent' })).toBe('not sent');
  });
});
