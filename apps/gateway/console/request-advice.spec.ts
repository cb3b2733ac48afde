import type { TradeRequestReport, UnresolvedRequest } from '@libs/gateway-client';
import { adviceOnDifference, adviceOnRequest } from './request-advice';

const report = (status: TradeRequestReport['status'], code: number | null = 200): TradeRequestReport => ({
  ...{ key: 'k', route: 'POST /order', created_at: null, response: null, trace_id: null },
  ...{ status, response_status: code },
});
const unresolved = (undecidable: boolean): UnresolvedRequest => ({
  ...{ client_order_id: 'k', id: 'i', request_id: 'r', route: 'POST /modify_sl_tp', created_at: '' },
  sends: [
    {
      ...{ intent_id: 'i/0', purpose: 'modify_levels', symbol: 'EURUSD', volume: 0, position: 1, order: null },
      ...{ magic: 0, comment: '', reason: 'IPC timeout', undecidable },
    },
  ],
});

describe('the advice on a request', () => {
  it.each([
    [report('completed', 200), /^Done/, null],
    [report('completed', 422), /^Rejected/, null],
    [report('recovered'), /^Done/, null],
    [report('absent', 422), /^Not done/, null],
    [report('void', null), /^Void/, null],
    [report('accepted', 502), /stays unknown/, null],
    [report('in_progress', null), /working/, null],
    [null, /^No request/, 'void'],
  ] as const)('%#: states what happened', (given, meaning, action) => {
    expect(adviceOnRequest(given, undefined)).toMatchObject({ meaning: expect.stringMatching(meaning), action });
  });

  it('is to wait while an outcome is looked up, and to accept it once it cannot be decided', () => {
    expect(adviceOnRequest(report('unknown', 502), unresolved(false))).toMatchObject({
      ...{ advice: expect.stringMatching(/^Wait/), action: null },
    });
    expect(adviceOnRequest(report('unknown', 502), unresolved(true))).toMatchObject({ action: 'accept' });
  });

  it('never calls an unknown outcome done or rejected', () => {
    for (const decided of [true, false]) {
      const { meaning, advice } = adviceOnRequest(report('unknown', 502), unresolved(decided));
      expect(`${meaning} ${advice}`).not.toMatch(/nothing was done|\bdone\b|rejected/i);
    }
  });
});

describe('the advice on a difference', () => {
  it('is to leave alone what may be the effect of a request, and never to close it', () => {
    const advice = adviceOnDifference({ kind: 'undecided', intent_id: 'i/0' });
    expect(advice).toMatch(/Leave it alone/);
    expect(advice).not.toMatch(/made in the terminal|close|cancel/i);
  });

  it('does not promise that a tag without a request is settled by itself', () => {
    expect(adviceOnDifference({ kind: 'undecided', intent_id: null })).not.toMatch(/finds out/);
  });
});
