import { FuzzedDaemon } from './fuzzed-daemon';
import { fuzzKey } from './fuzzed-gateway';
import type { FuzzRequest } from './fuzz-request';

const request = (fields: Partial<FuzzRequest>): FuzzRequest => ({
  ...{ number: 1, method: 'GET', url: '/', headers: [['authorization', `Bearer ${fuzzKey}`]], body: null },
  ...{ credential: 'right', way: 'socket', waitMs: 0, copies: 1, ...fields },
});

describe('a request that the fuzzer found', () => {
  it('follows a log without lines: the answer begins before the first line', async () => {
    const daemon = await FuzzedDaemon.start(1, 'control port');
    const { answers } = await daemon.observe(request({ url: '/logs/book?follow=true' }));
    await daemon.stop();
    expect(answers.map((answer) => [answer?.status, answer?.text])).toEqual([[200, '']]);
  });
});
