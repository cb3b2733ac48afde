import { Retcode } from '@libs/trade-constants';
import { exitRetryMs, retryKeyOf, type Refusal } from './exit-retry';

function rejectedWith(retcode: number): Refusal {
  const terminalError = { retcode, retcode_name: 'NAME', comment: '' };
  const answer = { status: 422, errorType: 'broker_rejected', error: 'no', details: null, terminalError };
  return { kind: 'rejected', retryable: false, ...answer };
}

const blocked: Refusal = {
  ...{ kind: 'blocked', status: 423, errorType: 'kill_switch_active', error: 'halted', details: null },
  terminalError: null,
};

describe('a refused exit', () => {
  it.each(['REQUOTE', 'PRICE_OFF', 'MARKET_CLOSED', 'TOO_MANY_REQUESTS', 'FROZEN', 'CLOSE_ORDER_EXIST'] as const)(
    'is sent again after half a second: %s',
    (name) => {
      expect(exitRetryMs(rejectedWith(Retcode[name]), 0)).toBe(500);
    },
  );

  it.each(['INVALID_STOPS', 'INVALID_VOLUME', 'POSITION_CLOSED', 'TRADE_DISABLED'] as const)(
    'is not sent again: %s',
    (name) => {
      expect(exitRetryMs(rejectedWith(Retcode[name]), 0)).toBeNull();
    },
  );

  it('is not sent again against the kill switch, and is if nothing was executed', () => {
    expect(exitRetryMs(blocked, 0)).toBeNull();
    expect(exitRetryMs({ kind: 'absent', reason: 'not sent' }, 0)).toBe(500);
  });

  it('is sent again ten times, in about four minutes', () => {
    const waits = Array.from({ length: 10 }, (_, attempt) => exitRetryMs(rejectedWith(Retcode.REQUOTE), attempt));
    expect(waits.reduce<number>((sum, wait) => sum + (wait ?? NaN), 0)).toBe(240_500);
    expect(exitRetryMs(rejectedWith(Retcode.REQUOTE), 10)).toBeNull();
  });

  it('has a key of its own for each retry, derived from the first', () => {
    expect(retryKeyOf('k')).toBe('k~1');
    expect(retryKeyOf('k~9')).toBe('k~10');
  });
});
