import type { OrderSendResult } from '@libs/terminal-client';
import { classifyAnswer, classifySend } from './classify-outcome';

const result: OrderSendResult = {
  ...{ retcode: 10009, deal: 7, order: 9, volume: 0.1, price: 1.1, bid: 1, ask: 1.1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};

describe('the outcome of a send', () => {
  const lastError = (code: number) => ({ code, message: 'm' });
  it.each([
    [10008, 'done'],
    [10009, 'done'],
    [10010, 'done'],
    [10006, 'rejected'],
    [10030, 'rejected'],
    [10025, 'rejected'],
    [10036, 'rejected'],
    [10041, 'rejected'],
    [10011, 'unknown'],
    [10012, 'unknown'],
    [10031, 'unknown'],
    [10005, 'unknown'],
    [10047, 'unknown'],
    [0, 'unknown'],
  ])('with retcode %i of an order is %s', (retcode, kind) => {
    expect(classifyAnswer('open', { ...result, retcode }, 'answer').kind).toBe(kind);
  });

  it('is a success if nothing had to change', () => {
    expect(classifyAnswer('modify_levels', { ...result, retcode: 10025 }, 'answer').kind).toBe('done');
    expect(classifyAnswer('modify_order', { ...result, retcode: 10025 }, 'answer').kind).toBe('done');
    expect(classifyAnswer('close', { ...result, retcode: 10036 }, 'answer').kind).toBe('done');
    expect(classifyAnswer('close_partial', { ...result, retcode: 10036 }, 'answer').kind).toBe('rejected');
  });

  it('without an answer is a rejection only if nothing can have been sent', () => {
    expect(classifySend('open', { kind: 'refused', lastError: lastError(-2) }).kind).toBe('rejected');
    expect(classifySend('open', { kind: 'refused', lastError: lastError(-8) }).kind).toBe('rejected');
    expect(classifySend('open', { kind: 'refused', lastError: lastError(-10004) }).kind).toBe('not_sent');
    for (const code of [-1, -10001, -10002, -10005]) {
      expect(classifySend('open', { kind: 'unknown', reason: 'r', lastError: lastError(code) }).kind).toBe('unknown');
    }
  });
});
